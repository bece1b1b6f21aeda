"""Signatures: after a line of two hyphens, after a closing with a few short lines below it, and of telephones."""

from __future__ import annotations

import re

__all__ = ["unsigned"]

SIGNATURE_LINE = re.compile(r"^-- ?$", re.MULTILINE)
# In plain ASCII a mark is looked for first, as most messages have none; those of other languages at the end alone.
SENT_MARKS = ("Sent from my", "Get Outlook", "Gesendet von")
OTHER_MARKS, END = ("Outlook", "Enviado d", "Inviato da", "vanaf mijn", "Von meinem"), 200
SENT_FROM = re.compile(
    r"""^[ \t]*(?:
        (?:Sent[ ]from[ ]my|Get[ ]Outlook[ ]for|Gesendet[ ]von)[ ].*
      | Von[ ]meinem[ ].{2,30}[ ]gesendet | Envoyé[ ](?:de[ ]mon|depuis)[ ].{2,40}
      | Enviado[ ](?:desde[ ]mi|do[ ]meu|a[ ]partir[ ]do[ ]meu|desde[ ]Outlook|do[ ]Outlook)\b.{0,40}
      | Inviato[ ](?:da|dal[ ]mio)[ ](?:iPhone|iPad|Outlook|telefono|cellulare|smartphone).{0,30}
      | (?:Verstuurd|Verzonden)[ ]vanaf[ ]mijn[ ].{2,40}
      | Wysłan[eo][ ]z(?:[ ]mojego)?[ ](?:iPhone|iPad|telefonu|smartfona|Outlook|urządzenia|systemu).{0,30}
      | Отправлено[ ](?:с|из)[ ](?:моего|iPhone|iPad|мобильной|Яндекс|Outlook|устройства|Samsung).{0,40}
      | (?:私の)?\ ?(?:iPhone|iPad|Android|スマートフォン)\ ?から送信
      | (?:发自我的|發自我的|从我的|從我的)\ ?.{2,20}(?:发送|傳送)? | 发自\ ?(?:iPhone|iPad|Outlook).{0,20}
      | (?:Obt[eé]n(?:er|ga|ha)?|Obter|Download|Télécharger|Scarica|Ottieni|Pobierz|Uzyskaj|Скачать|Скачайте|Получить
        |获取|取得|下载|下載)\ ?(?:[ ][oa][ ])?\ ?Outlook\b.{0,40}
      | (?:Android|iOS)\ ?(?:用|版|için)\ ?(?:の\ ?)?Outlook.{0,20} | Outlook[ ](?:für|voor)[ ](?:iOS|Android).{0,40}
    )[.。]?[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_LANGUAGES = """
    regards,best regards,kind regards,kindest regards,warm regards,with kind regards,thanks,many thanks,thanks again,
    thank you,cheers,sincerely,sincerely yours,yours sincerely,yours truly,best,best wishes,all the best,
    mit freundlichen grüßen,mit freundlichem gruß,viele grüße,beste grüße,liebe grüße,herzliche grüße,mfg,
    cordialement,bien cordialement,bien à vous,cordiali saluti,distinti saluti,met vriendelijke groet,
    met vriendelijke groeten,hartelijke groeten,
    saludos,un saludo,saludos cordiales,un cordial saludo,atentamente,cordialmente,gracias,muchas gracias,un abrazo,
    atenciosamente,att,obrigado,obrigada,muito obrigado,muito obrigada,cumprimentos,melhores cumprimentos,
    com os melhores cumprimentos,um abraço,abraços,
    с уважением,с наилучшими пожеланиями,всего доброго,спасибо,заранее спасибо,
    pozdrawiam,pozdrawiam serdecznie,serdecznie pozdrawiam,z poważaniem,z wyrazami szacunku,dziękuję,
    よろしくお願いします,よろしくお願いいたします,よろしくお願い致します,宜しくお願いします,宜しくお願いいたします,
    宜しくお願い致します,敬具,以上,
    此致,此致敬礼,此致敬禮,敬礼,谢谢,謝謝,多谢,祝好,顺祝商祺,順頌商祺,顺颂商祺,敬上"""
CLOSINGS = frozenset(closing.strip() for closing in _LANGUAGES.split(","))
CLOSING_LINES, CLOSING_WIDTH = 8, 60  # what follows a closing is a signature if it is no longer and no wider
_AROUND = ",.! \uff0c\u3002\uff01\u3001"


def unsigned(text: str) -> str:
    r"""Return a text without its signature.

    >>> unsigned("Sí.\n\nUn saludo,\nAna\nVentas")
    'Sí.\n'
    """
    if "\n--" in text or text.startswith("--"):
        found = SIGNATURE_LINE.search(text)
        text = text if found is None else text[: found.start()]
    if _may_be_sent_from(text):
        text = SENT_FROM.sub("", text)
    return _before_closing(text)


def _may_be_sent_from(text: str) -> bool:
    """Tell whether a line of a telephone may be there; plain loops, as this is done for every message."""
    for mark in SENT_MARKS:
        if mark in text:
            return True
    end = text[-END:]
    for mark in OTHER_MARKS:
        if mark in end:
            return True
    return not text.isascii()


def _before_closing(text: str) -> str:
    """Cut from the last closing on, if only a few short lines follow, the first of which begins anew."""
    plain = text.rstrip()
    below: list[str] = []
    end = len(plain)
    while (start := plain.rfind("\n", 0, end)) >= 0:  # line by line from the end: few are looked at
        line = plain[start + 1 : end].strip()
        if line.rstrip(_AROUND).lower() in CLOSINGS:
            goes_on = below and below[-1][0].islower()
            return text if goes_on else plain[:start]
        if line:
            below.append(line)
        if len(line) > CLOSING_WIDTH or len(below) > CLOSING_LINES:
            break
        end = start
    return text
