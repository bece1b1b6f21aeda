"""From a body to the words its sender wrote: scripts, reply headers of many languages, signatures, and look-alikes."""

from __future__ import annotations

import io
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.words.mailboxes import plain, write_mbox

from entrenous.errors import ArgumentError, MissingExtraError
from entrenous.words import Corpus
from entrenous.words.reading import workers
from entrenous.words.reading.digest import Block
from entrenous.words.reading.text import new_subject, new_text, segmentation, words_of
from entrenous.words.reading.text.language import checked_language

SEGMENTED = {
    "नमस्ते, हिन्दी की किताब।": "नमस्ते हिन्दी की किताब",
    "น้ำมันราคาแพง ปี๒๕๖๗": "น้ำมัน ราคา แพง ปี๒๕๖๗",
    "สวัสดีครับ วันนี้เรามีประชุมเรื่องงบประมาณ": "สวัสดี ครับ วัน นี้ เรา มี ประชุม เรื่อง งบ ประมาณ",
    "בְּרֵאשִׁית בָּרָא": "בְּרֵאשִׁית בָּרָא",
    'צה"ל אמר: "שלום"': "צה״ל אמר שלום",
    "مُحَمَّد قرأ كتـابًا": "مُحَمَّد قرأ كتابًا",
    "第三季度的预算已经批准。": "第三 季度 的 预算 已经 批准",
    "iPhone手机Q3业绩": "iphone 手机 q3 业绩",
    "東京都知事は明日の会議に出席します。": "東京 都知事 は 明日 の 会議 に 出席 し ます",
    "ｺﾝﾋﾟｭｰﾀｰとソフトウェアを購入した": "コンピューター と ソフトウェア を 購入 した",
    "ສະບາຍດີຂ້ອຍຊື່": "ສະບາຍດີ ຂ້ອຍ ຊື່",
    "ខ្ញុំចង់\u200bទៅផ្សារ": "ខ្ញុំ ចង់ ទៅ ផ្សារ",
    "ကျွန်တော်ကျောင်းသွားမယ်": "ကျွန်တော် ကျောင်း သွား မယ်",
}
PROSE = [
    "भारत सरकार ने आज नई शिक्षा नीति की घोषणा की है।",
    "क्या आप कल की बैठक में आएँगे? हमें निर्णय लेना है।",
    "รัฐบาลไทยประกาศนโยบายการศึกษาใหม่ในวันนี้",
    "กรุณาส่งเอกสารก่อนวันศุกร์ ขอบคุณมากครับ",
    "ממשלת ישראל הודיעה היום על מדיניות חינוך חדשה.",
    "נא לשלוח את המסמכים עד יום שישי, תודה רבה!",
    "أعلنت الحكومة اليوم عن سياسة تعليمية جديدة.",
    "يرجى إرسال الوثائق قبل يوم الجمعة، وشكرًا جزيلًا لكم.",
    "政府今天宣布了新的教育政策和明年的预算。",
    "請在星期五之前把文件寄給我，非常感謝。",
    "政府は今日、新しい教育政策を発表しました。来年の予算も決まった。",
    "金曜日までに書類を送ってください。よろしくお願いします。",
]
HEADERS = [
    "El lun, 3 mar 2024 a las 10:00, Ana (<ana@x.org>) escribió:",
    "El lun, 3 de mar de 2024 a las 10:00, Ana Belén\n(<ana@x.org>) escribió:",
    "El 3 mar 2024, a las 10:00, Ana <ana@x.org> escribió:",
    "En lunes, 3 de marzo de 2024, 10:00:00 CET, Ana <ana@x.org> escribió:",
    "Em seg., 3 de mar. de 2024 às 10:00, Ana <ana@x.org> escreveu:",
    "Em 3 de mar. de 2024, à(s) 10:00, Ana <ana@x.org> escreveu:",
    "Em segunda-feira, 3 de março de 2024 10:00, Ana\n<ana@x.org> escreveu:",
    "Ana <ana@x.org> escreveu (segunda, 3/03/2024 à(s) 10:00):",
    "пн, 4 мар. 2024 г. в 10:00, Anna <anna@x.org>:",
    "4 марта 2024 г., в 10:00, Анна <anna@x.org> написал(а):",
    "04.03.2024 10:00, Анна пишет:",
    '04.03.2024, 10:00, "Анна" <anna@x.org>:',
    "4 марта 2024 г., 10:00 пользователь Анна\n<anna@x.org> написал:",
    "pon., 4 mar 2024 o 10:00 Anna <anna@x.org> napisał(a):",
    "W dniu 4.03.2024 o 10:00, Anna pisze:",
    "Wiadomość napisana przez Anna <anna@x.org> w dniu 4 mar 2024, o godz. 10:00:",
    "Dnia 4 marca 2024 10:00 Anna <anna@x.org> napisał(a):",
    "2024年3月4日(月) 10:00 Anna <anna@x.org>:",
    "2024/03/04 10:00、Anna <anna@x.org>のメール:",
    "2024年3月4日 10:00、Anna <anna@x.org>のメール\uff1a",
    "Anna <anna@x.org> 于2024年3月4日周一 10:00写道\uff1a",
    "Anna <anna@x.org>\n于2024年3月4日周一 10:00写道\uff1a",
    '在 2024-03-04 10:00:00\uff0c"Anna" <anna@x.org> 写道\uff1a',
    "Anna <anna@x.org> 於 2024年3月4日 週一 上午10:00寫道\uff1a",
    "De: Ana\nEnviado: lunes, 3 de marzo\nPara: Bob\nAsunto: x",
    "De: Ana <ana@x.org>\nEnviado el: lunes\nPara: Bob\nCC: Eva\nAsunto: RE: x",
    "De: Ana\nEnviada em: segunda-feira\nPara: Bob; Eva;\n Carlos\nAssunto: x",
    "От: Анна\nОтправлено: 4 марта 2024 г.\nКому: Боб\nТема: x",
    "Od: Anna\nWysłano: poniedziałek\nDo: Bob\nTemat: x",
    "差出人: Anna\n送信日時: 2024年3月4日\n宛先: Bob\n件名: x",
    "发件人\uff1aAnna\n发送时间\uff1a2024年3月4日\n收件人\uff1aBob\n主题\uff1ax",
    "寄件者: Anna\n寄件日期: 2024年3月4日\n收件者: Bob\n主旨: x",
    "*De:* Ana\n\n*Enviado:* lunes\n\n*Para:* Bob\n\n*Asunto:* x",
    "-----Mensaje original-----",
    "---------- Mensagem encaminhada ---------",
    "-------- Пересылаемое сообщение --------",
    "-------- Przekazana wiadomość --------",
    "------------------ 原始邮件 ------------------",
    "---------- 転送メッセージ ----------",
    "Inicio del mensaje reenviado:\n\nDe: Ana",
    "Начало переадресованного сообщения:",
    "-----Ursprüngliche Nachricht-----",
]
SIGNED = [
    "Enviado desde mi iPhone",
    "Enviado do meu iPhone",
    "Inviato da iPhone",
    "Отправлено с iPhone",
    "Wysłane z iPhone'a",
    "iPhoneから送信",
    "发自我的 iPhone",
    "Obtener Outlook para iOS",
    "Un saludo,\nAna\nold",
    "Atenciosamente,\nAna\nold",
    "С уважением,\nАнна\nold",
    "Pozdrawiam\nAnna\nold",
    "よろしくお願いいたします。\nAnna\nold",
    "此致\nAnna\nold",
]
LOOK_ALIKES = [
    "El lunes Ana escribió:\nno vengo",
    "La reunión del 3/3/2024 a las 10:00 acabó y Ana escribió:\nno vengo",
    "De: Madrid\nPara: Lisboa\nFecha: 3 de mayo",
    "De: Madrid\nPara: Lisboa\nmás abajo\nCC: nadie",
    "Ontem ela escreveu: amanhã não venho",
    "Data: 3 de maio\nPara: todos",
    "Он пишет:\nне приду",
    "От: Москвы\nДо: Казани",
    "Temat: budżet\nDo: jutra",
    "Do: zrobienia\nOd: jutra",
    "他写道\uff1a\n明天不来",
    "主题\uff1a预算\n时间\uff1a明天",
    "件名: 予算\n日時: 明日",
    "Escríbeme a ana@x.org:\nmañana",
    "Gracias\npor todo esto, y por lo demás.",
    "Enviado desde mi punto de vista más personal y con todo el respeto que me merece:\nno",
]


@pytest.mark.parametrize(("text", "expected"), SEGMENTED.items())
def test_words_of_all_scripts(text: str, expected: str) -> None:
    assert words_of(text) == expected
    assert words_of(expected) == expected


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_segmented_as_icu_does(text: str) -> None:
    """By ICU's own iterator over the whole text, punctuation and all; nothing of ours takes part."""
    from icu4py.breakers import WordBreaker

    found = [piece for piece in WordBreaker(text, "und") if any(map(str.isalnum, piece))]
    assert words_of(text).split() == found
    assert 5 < len(found) < 0.7 * len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q3 H1N1 covid19 12th 1990's", "q3 h1n1 covid19 12th s"),
        ("3 10:30am 3.5m 1,000kg 5'10 ٢٠٢٤ v1.2", "v1"),
        ("co\u00adoperate zero\u200bwidth ﬁnance Ｆｕｌｌ", "cooperate zerowidth finance full"),
        ("İSTANBUL n\u0303andu Brand™ m²", "istanbul ñandu brand m2"),
        ("п\u02bcять п\u2019ять col·lecció", "п'ять п'ять col·lecció"),
    ],
)
def test_letters_with_digits_are_words_and_numbers_are_none(text: str, expected: str) -> None:
    assert words_of(text) == expected
    assert words_of(text + " ü").removesuffix(" ü") == expected


ODD = st.one_of(
    st.characters(),
    st.sampled_from("aZ09.,:'\u2019-_ \n·l\"\u200b\u200d\u00ad\u02bcßΣςﬁ①²אבְּ״İ\u0301\u0307"),
    st.sampled_from("กขคงจำัิี่้เแไใๆฯ๑ະາຳເແໄບດຂອကျောင်းသွား្ខញុំចង់会议的三〇々ーアイうおがﾞ"),
)


@settings(max_examples=300, deadline=None)
@given(st.text(ODD, max_size=40))
def test_words_of_words_are_the_same_and_hold_letters_marks_and_digits_alone(text: str) -> None:
    words = words_of(text)
    assert words_of(words) == words
    for word in words.split(" ") if words else []:
        assert any(map(str.isalpha, word))
        assert all(unicodedata.category(sign)[0] in "LMN" or sign in "'·״" for sign in word)


@given(st.text(st.one_of(st.characters(max_codepoint=127), st.sampled_from("a1.,:'Bz0_ ")), max_size=30))
def test_the_short_way_through_ascii_leads_to_the_same_words(text: str) -> None:
    assert words_of(text + " é") == f"{words_of(text)} é".strip()


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(ODD, st.sampled_from(["\n", "De:", "Asunto:", "escribió:\n", "@x>:\n", "3/3/2024 10:00"]))
    )
)
def test_no_text_fails_to_be_cut(pieces: list[str]) -> None:
    words_of(new_text("".join(pieces)))


@pytest.mark.parametrize("tail", [*HEADERS, *SIGNED])
def test_what_others_wrote_is_cut_in_many_languages(tail: str) -> None:
    old = "\n\nold" if tail in HEADERS else ""
    assert new_text(f"This is new.\n\n{tail}{old}") == "This is new."


@pytest.mark.parametrize("body", LOOK_ALIKES)
def test_what_only_looks_like_a_header_stays(body: str) -> None:
    assert new_text(f"This is new.\n{body}\nAnd more, of this and that.").endswith("this and that.")


def test_marks_of_replies_in_many_languages_are_no_subject() -> None:
    assert [
        new_subject(mark + " x").strip() for mark in ("RV:", "ENC:", "Odp:", "Отв:", "回复\uff1a", "转发:")
    ] == ["x"] * 6


def test_a_script_without_blanks_asks_for_the_extra_and_nothing_else_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    segmentation._breaker.cache_clear()
    segmentation._alone.cache_clear()
    assert words_of("Привет, नमस्ते, Zoë") == "привет नमस्ते zoë"
    with pytest.raises(MissingExtraError, match=r"entrenous\[segmentation\]") as problem:
        Corpus.from_messages(
            [{"from": "a@x.org", "to": ["b@x.org"], "body": "预算", "subject": "", "id": "1", "date": ""}]
        )
    assert "预算" not in str(problem.value)
    answer = io.BytesIO()
    block = Block(
        "mbox", "file 1", 1, [plain(1, "ann@x.org", "bob@x.org", "x").replace(b"\n\nx", "\n\n预算".encode())]
    )
    workers._answer(answer, block, {})
    assert b'"extra": "segmentation"' in answer.getvalue()
    monkeypatch.undo()
    segmentation._breaker.cache_clear()


@pytest.mark.parametrize("tag", ["german", "", "de_DE", "d", "de-", "x" * 40, "de\n"])
def test_a_language_is_a_code(tag: str) -> None:
    with pytest.raises(ArgumentError, match="BCP 47"):
        checked_language(tag)


def test_the_language_is_what_the_publisher_states(tmp_path: Path) -> None:
    mail = write_mbox(tmp_path / "m.mbox", plain(1, "ann@x.org", "bob@x.org", "Guten Tag"))
    assert Corpus.read(mail).language is None
    assert Corpus.read(mail, store=tmp_path / "c", language="DE-at").language == "de-AT"
    again = Corpus.read(mail, store=tmp_path / "c")
    assert again.summary.language == "de-AT"
    again.close()
    assert Corpus.open(tmp_path / "c").language == "de-AT"
