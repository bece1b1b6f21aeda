"""Headers that mail programs put above a quoted or forwarded message, beyond the languages of mail-parser-reply.

Two kinds. *Attributions* end with a verb ("escribió:") or with an address and a colon; a date and a time belong to
them, so that "Ana escribió:" in a sentence stays. They may be wrapped over a few lines. *Blocks* have a line for the
sender, one for the subject and one for the date or the recipients, all in one language, so that a list of "De:" and
"Para:" stays.
"""

from __future__ import annotations

import re

__all__ = ["SEPARATORS", "attribution_start", "block_start", "ends_with_attribution"]

#: Lines between hyphens that stand above a quoted or forwarded message; and lines without hyphens, of Apple Mail.
SEPARATORS = r"""
      -{2,}[ ]*(?:Original[ ](?:Message|Appointment)|Forwarded[ ](?:by|message)|Inline[ ]attachment|Replied[ ]Message
        |Ursprüngliche[ ]Nachricht|Weitergeleitete[ ]Nachricht|Message[ ](?:d['\u2019]origine|transféré)
        |Mensaje[ ](?:original|reenviado)|Mensagem[ ](?:original|encaminhada|reencaminhada)
        |Messaggio[ ](?:originale|inoltrato)|(?:Oorspronkelijk|Doorgestuurd)[ ]bericht
        |(?:Wiadomość[ ](?:oryginalna|przekazana)|(?:Przekazana|Oryginalna)[ ]wiadomość)
        |(?:Исходное|Пересылаемое|Пересланное|Перенаправленное)[ ]сообщение)\b
    | -{2,}[ ]*(?:Original[ ]*-{2,}
        |元のメッセージ|転送(?:された)?メッセージ
        |(?:原始|转发|已转发|回复)的?(?:原)?(?:邮件|消息)|邮件原件|(?:原始|轉寄|已轉寄)的?(?:郵件|訊息))
    | (?:Begin[ ]forwarded[ ]message|Anfang[ ]der[ ]weitergeleiteten[ ]Nachricht|Début[ ]du[ ]message[ ]réexpédié
        |Inicio[ ]del[ ]mensaje[ ]reenviado|Início[ ]da[ ]mensagem[ ]re?encaminhada|Inizio[ ]messaggio[ ]inoltrato
        |Begin[ ]doorgestuurd[ ]bericht|Początek[ ]prze(?:kazywanej|słanej)[ ]wiadomości
        |Начало[ ](?:переадресованного|пересылаемого)[ ]сообщения
        |転送されたメッセージ|开始转发的邮件|[下以][面下是為被]+转发的邮件|開始轉寄郵件
        |[下以][下為是被]+轉寄的郵件)[ \u00a0]?[:\uff1a]
"""

# What attributions and blocks hold: looking for that costs next to nothing. Those beyond ASCII come last.
_MARKS = ("escr", "pisze", ">:")
_SUBJECTS = ("sunto", "Temat", "SUNTO", "Тема", "件名", "主题", "主旨", "主題")
_VERBS = r"""
        escribi[oó] | escreveu (?:[ ]\([^()\n]{5,60}(?:\([^()\n]{1,3}\)[^()\n]{1,20})?\))?
      | написал(?:\(а\)|а)? | пишет
      | napisał(?:\(a\)|a)? | pisze | Wiadomość[ ]napisana[ ]przez[^\n]{5,150}
      | の(?:メール|メッセージ) | が書いたメール | 書きました
      | [写寫]道
      | @[^\s<>@]{2,80}>
"""
_END = re.compile(rf"(?:{_VERBS})[ \t]*[:\uff1a][ \t]*$", re.MULTILINE | re.VERBOSE)
_DATE = re.compile(
    r"\d{4} ?[年/.-] ?\d{1,2} ?[月/.-] ?\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}"
    r"|\b\d{1,2}\.?\u00ba? (?:de )?[^\W\d]{3,12}\.?,?(?: de)? \d{4}"
)
_TIME = re.compile(r"\d{1,2}[:.]\d{2}(?!\d)(?![./-]\d)|\d{1,2}[时時点點]\d{2}")
# It begins with a date, after a preposition and a day of the week perhaps, or with a name and an address.
_LEAD = re.compile(
    r"""[ \t>*]*(?:
        (?:(?:El|En|Em|No[ ]dia|A|Na|Dia|W[ ]dniu|Dnia|On|在|于|於)\s*)?
        (?:(?:el[ ])?[^\W\d]{2,15}(?:-(?:feira|фейра))?[.,\uff0c]{0,2}[ ])?\d{1,4}[ ./年\u00ba-]
      | Wiadomość[ ]napisana[ ]przez\b
      | [^\n<>@:]{0,80}[<(]{1,2}[^\s<>@]+@[^\s<>@]+[>)]
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# Above what is marked as a quotation, any of these is enough.
_ANY_VERB = re.compile(
    rf"(?:{_VERBS} | wrote | schrieb[^\n]{{0,150}} | a[ \u00a0]écrit[ \u00a0]? | ha[ ]scritto"
    r" | schreef[^\n]{0,150} )[ \t]*[:\uff1a][ \t]*$",
    re.MULTILINE | re.VERBOSE,
)
_HAS_DATE = re.compile(r"\d|\b(?:On|Am|Le|Il|Op)\b")
_LINES, _WIDTH = 4, 300  # over how many lines an attribution may be wrapped, and how long one is at most

# From, sent, to and subject of each language; copies and answering addresses may stand between.
_FIELDS = {
    "es": ("De", "Enviado(?: el)?|Fecha", "Para", "Asunto"),
    "pt": ("De", "Enviad[oa](?: em)?|Data", "Para", "Assunto"),
    "ru": (
        "От(?: кого)?",
        "Отправлено|Дата",
        "Кому",
        "Тема",
    ),
    "pl": ("Od", "Wysłano|Data", "Do", "Temat"),
    "ja": (
        "差出人|送信者",
        "送信日時|日時|日付",
        "宛先",
        "件名",
    ),
    "zh": (
        "发件人|寄件[者人]",
        "发送时间|日期|时间|寄件日期|傳送時間|時間",
        "收件[人者]",
        "主题|主旨|主題",
    ),
}
_BLOCKS = {
    language: [re.compile(rf"[ \t>*]*(?:{names})[ \t\u00a0*]*[:\uff1a]", re.IGNORECASE) for names in fields]
    for language, fields in _FIELDS.items()
}
_FIRST_LINE = re.compile(
    rf"^[ \t>*]*(?:{'|'.join(names for names, *_ in _FIELDS.values())})[ \t\u00a0*]*[:\uff1a]",
    re.MULTILINE | re.IGNORECASE,
)
_BLOCK_LINES = 12  # long lists of recipients are wrapped


def attribution_start(text: str) -> int | None:
    r"""Return where the first attribution of a text begins, or None.

    >>> attribution_start("Yes.\nEl lun, 3 mar 2024 a las 10:00, Ana\n(<ana@x.org>) escribió:\n> Shall we?")
    5
    >>> attribution_start("El lunes Ana escribió:\nno")
    """
    if text.isascii() and not _has(_MARKS, text):
        return None
    for found in _END.finditer(text):
        least = max(found.start() - _WIDTH, 0)
        start = found.start()
        for _ in range(_LINES):
            start = text.rfind("\n", 0, start) + 1
            if start < least:
                break
            head = text[start : found.end()]
            if _LEAD.match(head) and _DATE.search(head) and _TIME.search(head):
                return _with_name(text, start, head)
            start -= 1
            if start <= 0 or not text[text.rfind("\n", 0, start) + 1 : start].strip():
                break
    return None


def _has(marks: tuple[str, ...], text: str) -> bool:
    """Tell whether a text holds one of the marks; a plain loop, as this is done for every message."""
    for mark in marks:  # noqa: SIM110 - a generator takes twice as long
        if mark in text:
            return True
    return False


def ends_with_attribution(text: str) -> int | None:
    r"""Return where the attribution begins that a text ends with, or None; a quotation is known to follow.

    >>> ends_with_attribution("Yes.\nOn Monday Bob wrote:")
    5
    """
    for verb in _ANY_VERB.finditer(text, max(len(text) - _WIDTH, 0)):
        start = text.rfind("\n", 0, verb.start()) + 1
        while (
            start > 1
            and not _HAS_DATE.search(text, start)
            and text[text.rfind("\n", 0, start - 1) + 1 : start].strip()
        ):
            start = text.rfind("\n", 0, start - 1) + 1
        return start if verb.end() == len(text) else None
    return None


def _with_name(text: str, start: int, head: str) -> int:
    """Return where an attribution begins whose name and address may stand on the line before."""
    if "@" in head or start < 2:
        return start
    before = text.rfind("\n", 0, start - 1) + 1
    line = text[before : start - 1].rstrip()
    return before if line.endswith((">", ")")) and "@" in line and _LEAD.match(line) else start


def block_start(text: str) -> int | None:
    r"""Return where the first block of header lines begins, or None.

    >>> block_start("Sí.\nDe: Ana\nEnviado: lunes\nPara: Bob\nAsunto: x\nold")
    4
    >>> block_start("De: Madrid\nPara: Lisboa\nFecha: lunes")
    """
    if not _has(_SUBJECTS[:3] if text.isascii() else _SUBJECTS, text):
        return None
    for found in _FIRST_LINE.finditer(text):
        lines = text[found.start() : found.start() + 4000].split("\n")[:_BLOCK_LINES]
        for sender, *others in _BLOCKS.values():
            if not sender.match(lines[0]):
                continue
            sent, to, subject = (any(map(field.match, lines[1:])) for field in others)
            if subject and (sent or to):
                return found.start()
    return None
