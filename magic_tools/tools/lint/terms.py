"""The words by which a rule knows what a name or a text is about, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from magic_tools.tools.lint.words import name_words, names_any, stem

__all__ = [
    "ABBREVIATIONS",
    "ACRONYMS",
    "EFFECTS",
    "KEPT_UNCHANGED",
    "NOT_FOR",
    "SYNONYMS",
    "TELLS_KEYS",
    "has_unit",
    "identities_in",
    "identity_of",
    "is_cursor",
    "is_date",
    "is_identifier",
    "is_measure",
    "is_money",
    "shows_date",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CURRENCIES = _words(
    "cent cents usd eur gbp jpy cny rmb chf aud cad inr krw sek nok dkk pln brl mxn dollar dollars euro euros yuan "
    "yen franc francs rupee rupees krona kronor krone kroner zloty ruble rubles peso pesos currency 美元 欧元 日元 "
    "人民币 英镑 法郎 港元 卢布 币种"
)
# Units that say what they are wherever they stand, and what is counted.
_UNITS = _CURRENCIES | _words(
    "ns us ms sec secs second seconds millisecond milliseconds millis mins minute minutes hr hrs hour hours "
    "day days night nights week weeks month months quarter quarters year years mm cm km meter meters metre metres "
    "kilometer kilometers kilometre kilometres inch inches foot feet ft yard yards mile miles mg kg gram grams "
    "kilogram kilograms lb lbs pound pounds oz ounce ounces ton tons tonne tonnes bit bits byte bytes kb mb gb tb "
    "kib mib gib celsius fahrenheit kelvin degree degrees deg radian radians rad percent pct percentage ratio fraction "
    "share factor px pixel pixels hz khz mhz ghz fps bpm rpm kmh kph mph kw kwh mw watt watts volt volts amp amps "
    "joule joules calorie calories kcal pa kpa hpa psi liter liters litre litres ml gallon gallons sqm mps db "
    "characters chars words lines tokens rows pages items results records attempts people levels steps 毫秒 秒 "
    "分钟 小时 公里 千米 厘米 毫米 千克 公斤 吨 字节 摄氏 华氏 百分 像素 毫升 单位 秒数 天数 周数 月数 年数 "
    "字数 页数 行数 人数 次数 条数 个数 比例"
)
# Letters that are a unit only where they end a name, as in `timeout_s`, or stand in a text as one does.
_SHORT_UNITS = _words("s m h d g l w v a k c f t min")
_UNIT_IN_TEXT = re.compile(
    r"[%‰°€$£¥℃℉]|\b(?:in|per) (?:s|m|h|d|g|l|w|v|a|k|c|f|t|min)\b|\((?:s|m|h|g|l|w|v|a|k)\)|/(?:s|h)\b"
    r"|(?:[（(以按]|\d ?)[天周月年米克元度字升页]"
    r"|\d ?(?:=|(?:is|means)\b|表示|是).*\d ?(?:=|(?:is|means)\b|表示|是)"  # both ends of a scale, which has no unit
)
_COUNT_IN_TEXT = re.compile(r"\b(?:how many|number of|count of|amount of)\b|几|多少[个条次页]|数量", re.IGNORECASE)

_MEASURES = _words(
    "duration timeout delay interval ttl wait elapsed latency period lifetime runtime length width height "
    "thickness distance radius diameter perimeter altitude elevation weight mass speed velocity acceleration "
    "temperature pressure volume area size memory storage capacity bandwidth frequency angle rotation energy "
    "power voltage 时长 时间 超时 间隔 延迟 距离 长度 宽度 高度 半径 重量 温度 速度 面积 体积 容量 频率 角度"
)
# Points in time, which as a number count seconds or milliseconds.
_MOMENTS = _words("timestamp unixtime 时间戳")
# Sizes that are counts of what the word before names.
_COUNTED = _words("page batch chunk sample pool group party team step beam vocab window grid buffer population cluster")

_MONEY = _words(
    "price prices amount cost costs fee fees salary wage wages balance budget revenue income payment payout "
    "refund turnover profit spend spending total subtotal tax vat money 价格 金额 费用 工资 薪水 余额 预算 收入 "
    "成本 总价 单价 退款 折扣 税额"
)
# With one of these beside it, the same word is no sum of money.
_NOT_MONEY = _words(
    "ratio fraction share factor percent pct percentage percentile rate index score rank weight count change "
    "growth model type kind id code currency level class confidence probability center centre "
    "比例 比率 率 系数 数量 次数"
)

_DATES = _words(
    "date dates datetime timestamp deadline birthday birthdate dob expiry expiration day month 日期 时间 截止 生日 月份"
)
_WHOLE_DATES = _words("since until when time due")
# What else than a day such a word may be about, by its text.
_MARKS = _words(
    "commit commits version versions revision revisions release releases tag id ids offset cursor page event message "
    "sequence build checkpoint 提交 版本 编号 游标"
)
_DATE_ENDINGS = re.compile(
    r"_(?:at|time)$|^(?:created|updated|modified|due|starts?|ends?|expires|published|closed|opened|born|valid)_on$"
)
_NOT_DATES = _words(
    "zone zones tz timezone format unit units field fields column type kind name label week weekday 格式 单位 "
    "时区 字段 星期"
)
_DATE_IN_TEXT = re.compile(
    r"\d{4}-\d{2}|\d{1,2}:\d{2}|\d{1,2}/\d{1,2}|\d{4}年|YYYY|ISO[ -]?8601|RFC[ -]?3339"
    r"|\be\.g\.|\bfor example\b|\bsuch as\b|例如|比如|譬如"
    r"|\b(?:month|week ?day|day)(?:'s)? names?\b|\bnames? of (?:the |a |an )?(?:month|week ?day|day)|月份名|星期几"
    r"|(?-i:\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b)"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:星期|周)[一二三四五六日天]|[一二三四五六七八九十]月",
    re.IGNORECASE,
)

_IDENTIFIERS = _words("id ids key code seed pid uid gid zip postcode phone 编号")
_NUMBERED = _words("number no num nr")

# What a program knows better than a model does, by the words that name it.
_IDENTITIES: Mapping[str, str] = {
    word: kind
    for kind, words in {
        "tenant": "tenant organization organisation 租户",
        "user": "user 用户",
        "role": "role admin administrator superuser 角色 管理员",
        "scope": "scope",
        "permission": "permission 权限",
        "price": "price 价格 单价",
        "customer": "customer client 客户",
        "account": "account 账户 账号",
    }.items()
    for word in words.split()
}
# These may be what a call is about in words: they are an identity only with an id beside them.
_BY_ID = frozenset({"customer", "account"})
_IDS = _words("id uuid key number no code 编号 标识 号码 号")
# What may stand beside a word for an identity in a name that is about nothing else.
_BESIDE_IDENTITY = (
    _CURRENCIES | _IDS | _words("name is has as current acting my the unit 名 名称 名字 当前 的 是否 是否为")
)
_WIDE_TERMS = re.compile("|".join(sorted((_IDENTITIES.keys() | _BESIDE_IDENTITY), key=len, reverse=True)))

KEPT_UNCHANGED = re.compile(
    r"unchanged|\bas[ -](?:it )?is\b|as it came|verbatim|\bexactly (?:as|from)\b|opaque|unmodified|untouched"
    r"|\b(?:copy|copied)\b[^.]*\bfrom (?:the|an?) (?:previous|last|earlier)\b"
    r"|\b(?:not|never|n't) (?:be )?(?:change|modify|alter|edit|parse|build|invent|changed|modified|altered)"
    r"|原样|不要(?:修改|改动|更改)|不得(?:修改|改动)|不能(?:修改|改动)|不可(?:修改|改动)",
    re.IGNORECASE,
)
"""How a text says that a cursor is passed on as it came."""

NOT_FOR = re.compile(
    r"\bnot (?:for|to be used|meant for|suitable|intended for)\b|\b(?:do not|don't|never) (?:use|call)\b"
    r"|\b(?:does not|doesn't|cannot|can't) (?:support|cover|handle|include|find|look up)\b"
    r"|\bavoid (?:for|using|it|this)\b|\bunsuitable\b|\botherwise,? (?:use|call)\b|\b(?:any|every)thing else\b"
    r"|\b(?:use|call|prefer|see) `?[a-z]\w*_\w+|\binstead\b"
    r"|不用于|不要用于|不适用|不能(?:用|查|处理|修改|删|取消|创建|发)|不支持|不用来|勿用|而不是"
    r"|(?:请|应|其[他它](?:情况|场景)?请?)(?:使用|用|改用|调用)",
    re.IGNORECASE,
)
"""How a text says what a tool is not for, or which one to use in its place."""

TELLS_KEYS = re.compile(
    r"\bkeys?\b|\b(?:by|per|from|each|every) \w|\bnamed?\b|[\"'`“‘「]|=|->|→|键|按|每"
    r"|\bmap(?:s|ped|ping)?\b[^.]*\bto\b|\bto \w+ map(?:ping)?\b|到.+?的?(?:映射|对应|对照)",
    re.IGNORECASE,
)
"""How a text says what the keys of a map are."""

EFFECTS: Mapping[str, str] = {
    verb: effect
    for effect, verbs in {
        "read": "get fetch retrieve read load obtain lookup show view list enumerate search find query seek check",
        "create": "create add make new insert register generate open start",
        "update": "update edit modify change alter patch set rename move",
        "delete": "delete remove erase drop destroy cancel close stop",
        "send": "send post submit publish reply notify",
    }.items()
    for verb in verbs.split()
}
"""What a verb at the start of a tool's name does; tools of two kinds of effect are not mistaken for each other."""

SYNONYMS: Mapping[str, str] = {
    word: group.split()[0]
    for group in (
        "get fetch retrieve read load obtain lookup show view",
        "search find query seek",
        "list enumerate",
        "create add make new insert register",
        "update edit modify change alter patch",
        "delete remove erase drop destroy",
        "send post submit",
        "run execute",
        "client customer",
        "doc document",
        "article item product",
        "picture image photo",
        "mail email",
        "info information detail",
    )
    for word in group.split()
}
"""Words that mean the same in the name of a tool, each with the first of its kind."""

ABBREVIATIONS = _words(
    "qty amt cnt num addr msg cfg conf usr pwd tmp val vals idx desc descr cust prod dept mgr acct acc txn tx inv "
    "fn ln nm tel ts dt dttm ctx req res resp ret obj attr attrs pos cur curr src dst loc lbl nbr pmt proj sts "
    "svc tot typ upd ver wt mth"
)
"""Abbreviations that a model has to guess at."""

ACRONYMS = _words(
    "html css xml sql pdf png svg csv tsv jpg gps dns tls ssl ssh http https ftp vpn cpu gpu ram hdd ssd rgb xyz "
    "gdp kpi sms mms pcs vat sku isbn ssn bpm fps rpm mph kph kmh khz mhz ghz sqm kwh hrs mins lbs hpa kpa psi "
    "chf cny gbp jpy rmb px hz kb mb gb tb mm cm km kg mg ml db ms ns vs nth pm tv lng md5 rss llm pct"
)
"""Words without a vowel that everybody knows."""


def is_identifier(name: str) -> bool:
    """Whether a number of this name counts and measures nothing."""
    words = name_words(name)
    return names_any(name, _IDENTIFIERS) or (len(words) > 1 and words[-1] in _NUMBERED)


def has_unit(name: str, text: str) -> bool:
    """Whether a name or a text says in which unit a number is, or that it counts things."""
    words = name_words(name)
    in_name = names_any(name, _UNITS) or (len(words) > 1 and words[-1] in _SHORT_UNITS)
    return in_name or names_any(text, _UNITS) or bool(_UNIT_IN_TEXT.search(text) or _COUNT_IN_TEXT.search(text))


def is_measure(name: str) -> bool:
    """Whether a number of this name is of some unit, or each of several under the plural of such a name."""
    words = [stem(word) for word in name_words(name)]
    counted = any(after == "size" and before in _COUNTED for before, after in pairwise(words))
    measured = names_any("_".join(words), _MEASURES | _MOMENTS) or (len(words) > 1 and words[-1] == "at")
    return measured and not counted and not is_identifier(name)


def is_money(name: str) -> bool:
    """Whether a field of this name is a sum of money."""
    what = name.partition("_per_")[0]
    singular = "_".join(map(stem, name_words(what)))
    return names_any(singular, _MONEY) and not names_any(what, _NOT_MONEY | _MEASURES | (_UNITS - _CURRENCIES))


def is_date(name: str, text: str = "") -> bool:
    """Whether a text of this name is a date or a time; by what is said of it `since` may be a commit."""
    snake = "_".join(name_words(name))
    about_another = names_any(text, _MARKS) and not names_any(text, _DATES)
    dated = names_any(name, _DATES) or bool(_DATE_ENDINGS.search(snake))
    return (dated or (snake in _WHOLE_DATES and not about_another)) and not names_any(name, _NOT_DATES)


def shows_date(text: str) -> bool:
    """Whether a text shows how a date or a time is written."""
    return bool(_DATE_IN_TEXT.search(text))


def is_cursor(name: str) -> bool:
    """Whether a text of this name says where the next page begins."""
    words = name_words(name)
    paged = words[-1:] == ["token"] and not {"page", "next", "continuation", "continue", "pagination"}.isdisjoint(words)
    return paged or words[-1:] == ["cursor"] or names_any(name, {"游标", "翻页标记"})


def identity_of(name: str) -> str | None:
    """Which identity, role, scope or price a parameter of this name is, if it is nothing else."""
    words = [term for word in name_words(name) for term in _terms_of(word)]
    kinds = [_IDENTITIES[word] for word in words if word in _IDENTITIES]
    if not kinds or not all(word in _IDENTITIES or word in _BESIDE_IDENTITY for word in words):
        return None
    return None if kinds[0] in _BY_ID and _IDS.isdisjoint(words) else kinds[0]


def identities_in(name: str) -> frozenset[str]:
    """The identities that the name of a tool is about: get_user may be told which user."""
    words = map(stem, name_words(name))
    return frozenset(_IDENTITIES[word] for word in words if word in _IDENTITIES)


def _terms_of(word: str) -> list[str]:
    """A word in the singular, or, in Chinese, where words do not show, the terms that it is made of."""
    terms = _WIDE_TERMS.findall(word)
    return terms if word and not word.isascii() and "".join(terms) == word else [stem(word)]
