"""The Chinese of what is said to a model, by the English of it."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CHINESE"]

_KINDS: Mapping[str, str] = {
    "a string": "字符串",
    "an array": "数组",
    "an object": "对象",
    "an integer": "整数",
    "a number": "数",
    "true or false": "true 或 false",
    "null": "null",
    "a finite number": "有限的数",
    "an integer of at most 4300 digits": "不超过 4300 位的整数",
    "a decimal number as a string": "以字符串书写的十进制数",
    "a decimal number as a string of digits": "以数字字符串书写的十进制数",
    "a whole number as text": "以文本书写的整数",
    "bytes as base64": "以 base64 编码的字节",
    "bytes as base64 like aGVsbG8=": "形如 aGVsbG8= 的 base64 字节",
    "bytes as base64url like aGVsbG8=": "形如 aGVsbG8= 的 base64url 字节",
    "bytes as {encoding}": "以{encoding}编码的字节",
    "a date like 2026-11-29": "形如 2026-11-29 的日期",
    "a date like 2026-11-29 ({error})": "形如 2026-11-29 的日期（{error}）",
    "a date in the past": "过去的日期",
    "a date in the future": "将来的日期",
    "a date and time like 2026-11-29T12:30:00Z": "形如 2026-11-29T12:30:00Z 的日期和时间",
    "a date and time like 2026-11-29T12:30:00Z ({error})": "形如 2026-11-29T12:30:00Z 的日期和时间（{error}）",
    "a date and time like 2026-11-29T12:30:00Z, with its offset": "带时区、形如 2026-11-29T12:30:00Z 的日期和时间",
    "a date and time like 2026-11-29T12:30:00, without an offset": "无时区、形如 2026-11-29T12:30:00 的日期和时间",
    "a date and time without an offset like 2026-11-29T12:30:00": "无时区、形如 2026-11-29T12:30:00 的日期和时间",
    "a date and time in the past": "过去的日期和时间",
    "a date and time in the future": "将来的日期和时间",
    "a time like 12:30:00": "形如 12:30:00 的时刻",
    "a time like 12:30:00 ({error})": "形如 12:30:00 的时刻（{error}）",
    "a time like 12:30:00Z, with its offset": "带时区、形如 12:30:00Z 的时刻",
    "a duration like P1DT2H": "形如 P1DT2H 的时长",
    "a duration like P1DT2H ({error})": "形如 P1DT2H 的时长（{error}）",
    "a UUID": "UUID",
    "an e-mail address": "电子邮件地址",
    "a URL like https://example.com/": "形如 https://example.com/ 的 URL",
    "a valid URL, {error}": "有效的 URL（{error}）",
    "text of the format {format}": "格式为{format}的文本",
}

_LIMITS: Mapping[str, str] = {
    "a number of at least {ge}": "不小于{ge}的数",
    "a number of at least {limit}": "不小于{limit}的数",
    "a number above {gt}": "大于{gt}的数",
    "a number above {limit}": "大于{limit}的数",
    "a number of at most {le}": "不大于{le}的数",
    "a number of at most {limit}": "不大于{limit}的数",
    "a number below {lt}": "小于{lt}的数",
    "a number below {limit}": "小于{limit}的数",
    "a number that is a multiple of {multiple_of}": "{multiple_of}的倍数",
    "a value of at least {ge}": "不小于{ge}的值",
    "a value above {gt}": "大于{gt}的值",
    "a value of at most {le}": "不大于{le}的值",
    "a value below {lt}": "小于{lt}的值",
    "a decimal number of at most {max_digits} digits": "最多{max_digits}位的十进制数",
    "a decimal number of at most {decimal_places} decimal places": "最多{decimal_places}位小数的十进制数",
    "a decimal number of at most {whole_digits} digits before the point": "小数点前最多{whole_digits}位的十进制数",
    "at least {min_length} bytes": "至少{min_length}个字节",
    "at most {max_length} bytes": "最多{max_length}个字节",
    "text of at least {min_length} characters": "至少{min_length}个字符的文本",
    "text of at least {limit} characters": "至少{limit}个字符的文本",
    "text of at most {max_length} characters": "最多{max_length}个字符的文本",
    "text of at most {limit} characters": "最多{limit}个字符的文本",
    "text that matches {pattern}": "匹配{pattern}的文本",
    "at least {min_length} items": "至少{min_length}项",
    "at least {limit} items": "至少{limit}项",
    "at most {max_length} items": "最多{max_length}项",
    "at most {limit} items": "最多{limit}项",
    "at least {limit} keys": "至少{limit}个键",
    "at most {limit} keys": "最多{limit}个键",
    "at most {levels} of {name} inside each other, and not {found}": "最多{levels}层{name}互相嵌套，而不是{found}层",
    "items that are all different": "互不相同的各项",
    "an array with the items that it has to contain": "含有必需项的数组",
    "no further items": "没有更多的项",
}

_WHOLES: Mapping[str, str] = {
    "a value, since it is required": "一个值（必填）",
    "no key of this name": "空缺（没有这个名称的键）",
    "no item in this place": "空缺（这里没有这一项）",
    "nothing at all": "空缺",
    "nothing, since {key} says it already": "空缺，因为{key}已经说明了它",
    "as its key {expected}": "{expected}（作为键）",
    "one of {choices}": "{choices}之一",
    "one of these alone: {choices}": "仅为其中之一：{choices}",
    "{some} or {last}": "{some}、{last}",
    "{first} or {other}": "{first}或{other}",
    "{first} or one of {count} others": "{first}或另外{count}种之一",
    "{discriminator} to be one of {expected_tags}": "{discriminator}为{expected_tags}之一",
    "the key {discriminator}": "键{discriminator}",
    "a value that passes its check": "能通过检查的值",
    "a value that passes its check ({said})": "能通过检查的值（{said}）",
    "a value that fits its schema": "符合其模式的值",
    "a value that fits one of its alternatives and no other": "只符合其中一种情形的值",
    "a value that does not fit {schema}": "不符合{schema}的值",
    "an array, since this text may be one item or several": "数组，因为此文本可能是一项或多项",
    "an object with the key {key}, and these keys inside that: one level is missing": (
        "带有键{key}的对象，并将这些键放在其中：少了一层"
    ),
    "what stands under the key {key}, without that key around it: one level is too many": (
        "键{key}之下的内容，外面不要再套这个键：多了一层"
    ),
    "numbers of fewer digits": "位数更少的数",
    "numbers that a 64-bit float can hold": "64 位浮点数能表示的数",
    "values that JSON can hold": "JSON 能表示的值",
    "one value under the key": "该键只有一个值",
    "text in valid Unicode": "有效的 Unicode 文本",
    "text that is not so": "不是这样的文本",
    "one answer": "一个答案",
    "one of the keys {keys} alone": "只有 {keys} 中的一个键",
    "JSON": "JSON",
    "a whole JSON value": "完整的 JSON 值",
    "JSON that is nested less deeply": "嵌套层数更少的 JSON",
    "JSON of at most 200 levels, in valid Unicode": "不超过 200 层、Unicode 有效的 JSON",
    "the places above to be right first": "先改正以上各处",
    "{wanted}": "{wanted}",
    "{it}": "{it}",
    "{value}": "{value}",
    "{why}": "{why}",
    "a number, or a text in quotation marks": "数，或引号中的文本",
    "numbers as JSON writes them, or text in quotation marks": "JSON 写法的数，或引号中的文本",
    "an object whose keys are those of one of the alternatives": "其键全属于同一种情形的对象",
}

_GOT: Mapping[str, str] = {
    "nothing": "（未提供）",
    "a value that is not shown": "不予显示的值",
    "an empty object": "空对象",
    "an object with the keys {keys}": "带有键{keys}的对象",
    "an empty array": "空数组",
    "an array of {count}": "{count}项的数组",
    "{start}... ({count} characters)": "{start}……（共{count}个字符）",
    "{count} different ones": "{count}个不同的",
    "{count} more that are not": "另外{count}处错误",
    "two different values": "两个不同的值",
    "one that is too large to be checked": "大得无法检查的数",
    "some that it cannot": "其中有不能表示的值",
    "JSON that is not so": "不是这样的 JSON",
    "JSON too deep to be checked": "深得无法检查的 JSON",
    "text that is none ({why})": "不是 JSON 的文本（{why}）",
    "text that is nearly so": "近似 JSON 的文本",
    "text that stops after {count} characters, before its end": "写到第{count}个字符就中断、没有结尾的文本",
    "digits that are no such number": "不是这种数的数字",
    "{start}... (cut; {count} characters in all)": "{start}……（已截断；共{count}个字符）",
    "one item of it": "其中的一项",
}

# Why a text is no JSON.
_CAUSES: Mapping[str, str] = {
    "{why}, at character {offset}": "{why}，在第{offset}个字符处",
    "nested too deeply": "嵌套太深",
    "more than 500 levels": "超过 500 层",
    "a whole number of more than 4300 digits": "超过 4300 位的整数",
    "a text whose end is not clear": "结尾不明的文本",
    "a value without a key": "没有键的值",
    "a key without a value": "没有值的键",
    "no value": "没有值",
    "an expression": "表达式",
    "words that stand for a value that was left out": "代替被略去的值的字样",
    "what may be a text, or a key and its value": "可能是文本、也可能是键和值的内容",
    "digits that may be one number or several": "可能是一个数、也可能是多个数的数字",
    "no key where one is due": "应有键的地方没有键",
    "something that is no comma and no closing bracket": "既不是逗号也不是右括号",
    "a comma without anything beside it": "旁边空无一物的逗号",
    "a closing bracket that does not fit what is open": "与左括号不配的右括号",
    "members without the brackets around them": "成员外面没有括号",
    "there are more members behind a closing bracket": "右括号之后还有成员",
    "the reasoning has no end": "推理部分没有结尾",
    "the text is too damaged": "文本损坏过重",
    "there is text around the value": "值的前后还有文本",
    "a string has no end": "字符串没有结尾",
    "there is no JSON in it": "其中没有 JSON",
    "the text is empty": "文本为空",
}

# What pydantic and the parsers that it uses say (pydantic-core 2.50, speedate 0.17).
_PYDANTIC: Mapping[str, str] = {
    "input is too short": "输入太短",
    "input is too long": "输入太长",
    "unexpected extra characters at the end of the input": "结尾有多余的字符",
    "invalid character in year": "年份中有无效字符",
    "invalid character in month": "月份中有无效字符",
    "invalid character in day": "日中有无效字符",
    "invalid character in hour": "小时中有无效字符",
    "invalid character in minute": "分钟中有无效字符",
    "invalid character in second": "秒中有无效字符",
    "invalid character in second fraction": "秒的小数部分有无效字符",
    "invalid date separator, expected `-`": "日期分隔符无效，应为 `-`",
    "invalid time separator, expected `:`": "时间分隔符无效，应为 `:`",
    "invalid datetime separator, expected `T`, `t`, `_` or space": "日期与时间的分隔符无效，应为 `T`、`t`、`_` 或空格",
    "invalid timezone sign": "时区符号无效",
    "invalid timezone hour": "时区的小时无效",
    "invalid timezone minute": "时区的分钟无效",
    "timezone minute value is outside expected range of 0-59": "时区的分钟超出 0-59 的范围",
    "timezone offset must be less than 24 hours": "时区偏移必须小于 24 小时",
    "year value is outside expected range": "年份超出范围",
    "month value is outside expected range of 1-12": "月份超出 1-12 的范围",
    "day value is outside expected range": "日超出该月的范围",
    "hour value is outside expected range of 0-23": "小时超出 0-23 的范围",
    "minute value is outside expected range of 0-59": "分钟超出 0-59 的范围",
    "second value is outside expected range of 0-59": "秒超出 0-59 的范围",
    "second fraction value is more than 6 digits long": "秒的小数部分超过 6 位",
    "second fraction is missing": "缺少秒的小数部分",
    "year 0 is out of range": "年份 0 超出范围",
    "invalid digit in duration": "时长中有无效的数字",
    "duration too short": "时长太短",
    "durations may not exceed 999,999,999 days": "时长不能超过 999,999,999 天",
    "durations may not exceed 999,999,999 hours": "时长不能超过 999,999,999 小时",
    "relative URL without a base": "缺少基准的相对 URL",
    "input is empty": "输入为空",
    "empty host": "主机名为空",
    "invalid port number": "端口号无效",
    "UUID version {expected_version} expected": "应为第{expected_version}版的 UUID",
    "value is not a valid email address: {reason}": "不是有效的电子邮件地址：{reason}",
    "Input is not a valid IPv4 address": "不是有效的 IPv4 地址",
    "Input is not a valid IPv6 address": "不是有效的 IPv6 地址",
    "Input is not a valid IPv4 network": "不是有效的 IPv4 网络",
    "Input is not a valid IPv6 network": "不是有效的 IPv6 网络",
    "Input is not a valid IPv4 interface": "不是有效的 IPv4 接口",
    "Input is not a valid IPv6 interface": "不是有效的 IPv6 接口",
    "Input is not a valid fraction": "不是有效的分数",
    "String should contain only ASCII characters": "只能含有 ASCII 字符",
    "Datetimes provided to dates should have zero time - e.g. be exact dates": "作为日期的值，时刻必须为零",
    "URL input should be a string or URL": "必须是 URL 字符串",
}

# What is said in a run: of calls, of answers, and of what is to be done.
_RUN: Mapping[str, str] = {
    "Answer with one JSON value and nothing else: no explanation, no code fence. It must fit this JSON Schema:": (
        "只用一个 JSON 值作答，不要有任何其他内容：不要解释，不要代码块。该值必须符合以下 JSON Schema："
    ),
    "Your reply was empty. Give the answer now, or call a tool.": "你的回复是空的。请现在给出答案，或者调用工具。",
    "This is the last reply of this run: no tool can be called any more. Answer now, from what is known.": (
        "这是本次运行的最后一次回复：不能再调用任何工具。请根据已知的信息，现在作答。"
    ),
    "Your answer was refused: {issues}. Give the whole answer again, with this mended.": (
        "你的答案未被接受：{issues}。请改正后，重新给出完整的答案。"
    ),
    "Not run: {why}.": "未执行：{why}。",
    "the model declined to go on": "模型拒绝继续",
    "the reply was cut before its end": "回复在结束之前被截断",
    "the run is at its end": "本次运行已经结束",
    "There is no tool called {name}; there are: {names}. Nothing was run.": (
        "没有名为{name}的工具；现有的工具：{names}。没有执行任何操作。"
    ),
    "none": "无",
    "{name} may not be used here and did not run: it needs the scope {scopes}.": (
        "{name}在此不可使用，未执行：它需要权限范围{scopes}。"
    ),
    "The arguments of {name} were refused and it did not run: {issues}. Send the call again with this mended.": (
        "{name}的参数未被接受，未执行：{issues}。请改正后，重新发送此调用。"
    ),
    "{name} failed with {error} before it ran, so that nothing was done.": (
        "{name}在执行之前因{error}而失败，没有做任何操作。"
    ),
    "{name} failed with {error}; whether it had an effect is not known.": (
        "{name}因{error}而失败；是否已经产生作用，尚不清楚。"
    ),
    "{name} ran, and its result was withheld: this {kind} is not what the tool promises to send.": (
        "{name}已执行，但其结果未予提供：类型为{kind}的值与该工具所承诺的不符。"
    ),
    "{start}... (cut; {count} characters in all)": "{start}……（已截断；共{count}个字符）",
    "one item of it": "其中的一项",
    "values that JSON can hold": "JSON 能够表示的值",
    "some that it cannot": "JSON 无法表示的值",
}

CHINESE: Mapping[str, str] = {**_KINDS, **_LIMITS, **_WHOLES, **_GOT, **_CAUSES, **_PYDANTIC, **_RUN}
"""Templates with the same fields as their English has."""
