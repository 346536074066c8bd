"""Files of central Europe, which decode as something else, western ones like them, other kinds."""

import pytest

from python_llm.errors import FileError
from python_llm.imports.encodings import decode
from python_llm.imports.tables import read_table, text

POLISH = "id;text\n1;Chory zgłosił się z gorączką, ciężki stan, żółtaczka, ospa wietrzna.\n" * 4
FEW_POLISH = 'case_id,answer\nP1,"1. Ospa (ciężka) u dziecka\n2. Żółtaczka"\n' * 8
CROATIAN = "id;text\n1;Bolesnik dolazi zbog kašlja, otežanog disanja, mučnine, bolova i žeđi.\n" * 8
NAMES = "Caso;Diagnóstico;Relación semántica;Evaluador\n" + (
    "P1;Gota;Sinónimo exacto;Núñez\nP2;Asma;No relacionado;Ibáñez\n" * 12
)


@pytest.mark.parametrize(
    ("written", "encoding"),
    [
        (POLISH, "cp1250"),
        (POLISH, "cp852"),
        (POLISH, "iso8859-2"),
        (FEW_POLISH, "cp1250"),
        (CROATIAN, "cp1250"),
    ],
)
def test_central_europe_is_not_guessed(written, encoding):
    with pytest.raises(FileError, match="save it as UTF-8"):
        decode(written.encode(encoding), "a.csv")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "cp850", "mac_roman"])
def test_letters_beside_each_other_in_western_names(encoding):
    assert decode(NAMES.encode(encoding)) == NAMES


CHINESE = "id,text\n1,患者三天前出現發熱、咳嗽, CT 顯示肺部感染, pH 7.2, 診斷 gout 痛風及心肌炎。\n"
KOREAN = "id,text\n1,환자는 사흘 전부터 열이 나고 기침을 하며 CT 에서 폐렴이 보인다.\n"


@pytest.mark.parametrize(
    ("written", "encoding"), [(CHINESE, "big5"), (CHINESE, "gb18030"), (KOREAN, "euc_kr")]
)
def test_east_asia_with_latin_words_is_read(written, encoding):
    assert decode(written.encode(encoding)) == written


def test_a_few_words_of_chinese_are_not_korean():
    with pytest.raises(FileError, match="save it as UTF-8"):
        decode("病例,答案\n1,患者 CT 示 pH 7.2 心肌炎 gout 感染\n".encode("gb2312"))


@pytest.mark.parametrize(
    ("start", "kind"),
    [(b"$FL2@(#) SPSS DATA FILE", "SPSS"), (b"<stata_dta><header>", "Stata"), (b"RDX3\n", "of R")],
)
def test_files_of_statistics_are_named(tmp_path, start, kind):
    (tmp_path / "a.csv").write_bytes(start + bytes(200))
    with pytest.raises(FileError, match=kind):
        read_table(tmp_path / "a.csv", ["case_id"])


def test_marks_of_direction_are_no_part_of_an_id(tmp_path):
    (tmp_path / "a.csv").write_text("case_id,answer\n\u200fP1\xa0,1. \u202bGout\u202c\n")
    assert read_table(tmp_path / "a.csv", ["case_id", "answer"])[0].values["case_id"] == "P1"
    assert text("\u202bGout\u202c") == "Gout"
