// Comforts only: every page works without this file.
"use strict";

// A preset fills in the answers instead of loading the page again, so that nothing already chosen is lost.
for (const link of document.querySelectorAll("a[data-preset]")) {
  link.addEventListener("click", (event) => {
    const groups = [...document.querySelectorAll("fieldset .scale")].slice(-link.dataset.preset.split(",").length);
    link.dataset.preset.split(",").forEach((score, place) => {
      const radio = groups[place]?.querySelector(`input[value="${score}"]`);
      if (radio) radio.checked = true;
    });
    say(`Filled in: ${link.textContent}.`);
    event.preventDefault();
  });
}

// A wider audience holds the narrower one, so it cannot suit somebody better: say so before the form is sent.
for (const form of document.querySelectorAll('form[data-monotone="yes"]')) {
  form.addEventListener("change", () => {
    const scores = [...form.querySelectorAll(".scale input:checked")].map((input) => Number(input.value));
    const fits = scores.every((score, place) => place === 0 || score <= scores[place - 1]);
    say(fits ? "" : "A wider audience cannot suit you better than a narrower one that is part of it.");
  });
}

function say(text) {
  const place = document.getElementById("adjusted");
  if (place) place.textContent = text;
}

// The menu closes when it is left or Escape is pressed, as people expect of menus.
for (const menu of document.querySelectorAll("details.menu")) {
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}
