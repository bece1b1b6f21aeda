// Passkeys: fetch what to ask, let the browser ask it, and send its answer as a form. Pages work without this file, by password.

const UNTIL_STALE = 8 * 60 * 1000; // a challenge is good for ten minutes
let waiting = null; // ends the request that waits in the list under the name field

for (const form of document.querySelectorAll("form[data-passkey]")) begin(form);

function begin(form) {
  const purpose = form.dataset.passkey;
  form.hidden = false;
  if (!window.PublicKeyCredential || !navigator.credentials) {
    for (const part of form.querySelectorAll(".field, .actions")) part.hidden = true;
    say(form, "This browser has no passkeys.");
    return;
  }
  form.addEventListener("submit", (event) => { // also by Enter in a field
    if (form.elements.credential.value) return;
    event.preventDefault();
    ask(form, purpose);
  });
  form.querySelector("button").addEventListener("click", () => {
    if (form.reportValidity()) ask(form, purpose);
  });
  if (purpose === "sign-in") offer(form);
}

// Somebody pressed the button: the browser opens its own window.
async function ask(form, purpose) {
  waiting?.abort();
  say(form, "");
  try {
    const publicKey = await options(purpose);
    const made = purpose === "add" ? await navigator.credentials.create({ publicKey }) : await navigator.credentials.get({ publicKey });
    send(form, made);
  } catch (error) {
    if (error.confirm) {
      location.assign("/account/confirm?next=/account/passkeys");
      return;
    }
    say(form, sentence(error, purpose));
    if (purpose === "sign-in") offer(form);
  }
}

// Passkeys stand in the list the browser opens under the name field, where it can do that.
async function offer(form) {
  const field = document.querySelector('input[autocomplete^="username"]');
  if (!field || !(await window.PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  field.autocomplete = "username webauthn";
  const mine = (waiting = new AbortController());
  const renewal = setTimeout(() => {
    mine.abort();
    offer(form);
  }, UNTIL_STALE);
  try {
    const publicKey = await options("sign-in");
    send(form, await navigator.credentials.get({ publicKey, mediation: "conditional", signal: mine.signal }));
  } catch {
    // Nobody asked for anything, so nothing is said; the button and the password are still there.
  }
  clearTimeout(renewal);
}

async function options(purpose) {
  const answer = await fetch("/passkeys/options", { method: "POST", body: new URLSearchParams({ purpose }) });
  if (!answer.ok) throw Object.assign(new Error("refused"), { confirm: answer.status === 403, busy: answer.status === 429 });
  const { publicKey } = await answer.json();
  publicKey.challenge = bytes(publicKey.challenge);
  if (publicKey.user) publicKey.user.id = bytes(publicKey.user.id);
  for (const list of ["allowCredentials", "excludeCredentials"]) {
    for (const one of publicKey[list] ?? []) one.id = bytes(one.id);
  }
  return publicKey;
}

function send(form, credential) {
  const { response } = credential;
  const answer = { clientDataJSON: text(response.clientDataJSON) };
  if (response.attestationObject) {
    answer.attestationObject = text(response.attestationObject);
    answer.transports = response.getTransports?.() ?? [];
  } else {
    answer.authenticatorData = text(response.authenticatorData);
    answer.signature = text(response.signature);
    answer.userHandle = response.userHandle ? text(response.userHandle) : null;
  }
  const sent = { id: credential.id, rawId: text(credential.rawId), type: credential.type, response: answer };
  form.elements.credential.value = JSON.stringify(sent);
  form.submit();
}

function sentence(error, purpose) {
  if (error.busy) return "Too many attempts. Please wait a while.";
  if (error.name === "InvalidStateError") return "This device already holds a passkey for your account.";
  if (purpose === "add") return "No passkey was added. Try again, or leave it at what you have.";
  return "No passkey was used. Try again, or use another way.";
}

function say(form, words) {
  form.querySelector('[role="status"]').textContent = words;
}

function bytes(encoded) {
  return Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
}

function text(buffer) {
  const signs = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(signs).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
