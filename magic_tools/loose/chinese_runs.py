"""The Chinese of what is said in a run: of calls, of answers, and of what is to be done."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CHINESE_OF_RUNS"]

CHINESE_OF_RUNS: Mapping[str, str] = {
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
    "Your reply was empty. Give the answer by calling {names}, or call another tool.": (
        "你的回复是空的。请调用{names}来给出答案，或者调用其他工具。"
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
    "The arguments of {name} were refused and it did not run: {issues}.": "{name}的参数未被接受，未执行：{issues}。",
    "{name} failed with {error} before it ran, so that nothing was done.": (
        "{name}在执行之前因{error}而失败，没有做任何操作。"
    ),
    "{name} failed with {error}; whether it had an effect is not known.": (
        "{name}因{error}而失败；是否已经产生作用，尚不清楚。"
    ),
    "{name} failed with {error}; it changes nothing.": "{name}因{error}而失败；它不会改变任何东西。",
    "{name} took longer than {time} and was abandoned; it may still take effect.": (
        "{name}用时超过{time}，已被放弃；它仍有可能产生作用。"
    ),
    "{name} took longer than {time} and was cancelled; whether it had an effect is not known.": (
        "{name}用时超过{time}，已被取消；是否已经产生作用，尚不清楚。"
    ),
    "{name} took longer than {time} and was given up; it changes nothing.": (
        "{name}用时超过{time}，已被终止；它不会改变任何东西。"
    ),
    "{name} was cancelled from inside; whether it had an effect is not known.": (
        "{name}在内部被取消；是否已经产生作用，尚不清楚。"
    ),
    "{name} was not begun: too many calls that were given up still run.": (
        "{name}未开始执行：已被放弃而仍在运行的调用过多。"
    ),
    "{name} was not begun: the time for all calls is over.": "{name}未开始执行：全部调用的时间已经用尽。",
    "{name} gave no result, and it did take effect.": "{name}没有给出结果，但已经产生作用。",
    "{name} gave no result, and it had no effect.": "{name}没有给出结果，也没有产生作用。",
    "{name} ran, and its result was withheld: this {kind} is not what the tool promises to send.": (
        "{name}已执行，但其结果未予提供：类型为{kind}的值与该工具所承诺的不符。"
    ),
    "{name} ran, and its result was withheld: it holds a value of type {kind}, which has no JSON form.": (
        "{name}已执行，但其结果未予提供：其中有类型为{kind}的值，无法表示为 JSON。"
    ),
    "{name} failed. This was declared to stand in for its result: do not present it as its own.": (
        "{name}失败了。这是事先声明的替代结果：请勿将其当作该工具的结果。"
    ),
    "{name} failed, and whether it had an effect is not known. This was declared to stand in for its result: do not "
    "present it as its own.": (
        "{name}失败了，是否已经产生作用，尚不清楚。这是事先声明的替代结果：请勿将其当作该工具的结果。"
    ),
    "{name} did what it does, and gave no good result. This was declared to stand in for it: do not present it as its "
    "own, and do not send the call again.": (
        "{name}已完成其操作，但没有给出合格的结果。这是事先声明的替代结果：请勿将其当作该工具的结果，也请勿重新发送此调用。"
    ),
    "{name} was cancelled from inside; it changes nothing.": "{name}在内部被取消；它不会改变任何东西。",
    "{seconds} s": "{seconds}秒",
    "the time for all calls": "全部调用的时间",
    "JSON of at most 200 levels and numbers of at most 4,300 digits": "不超过 200 层、数字不超过 4300 位的 JSON",
    "more than that": "超出该限度的内容",
    "Send the call again with this mended.": "请改正后，重新发送此调用。",
    "Check the name or the id: the same call would fail again.": "请核对名称或编号：同样的调用仍会失败。",
    "Look at how things stand now, and then decide.": "请先查看当前的状态，再作决定。",
    "Wait a little, then send the same call again.": "请稍候，然后重新发送同样的调用。",
    "Do not send it again: it takes a person to allow it.": "请勿重新发送：这需要由人来允许。",
    "Do not send it again before you have checked whether it took effect.": (
        "在查明它是否已经产生作用之前，请勿重新发送。"
    ),
    "Go on without it, and say what could not be done.": "请在没有它的情况下继续，并说明未能完成的事。",
    "The same call may be sent again.": "可以重新发送同样的调用。",
    "What it does was done: do not send it again.": "它所做的事已经完成：请勿重新发送。",
    "the rule {rule} to hold": "符合规则{rule}",
    "what breaks it": "违反该规则的值",
    "a rule that can be checked": "能够检查的规则",
    "null, since the function is declared to return nothing": "null（函数声明为不返回值）",
    "a value, since the function is not declared to return None": "一个值（函数未声明可返回 None）",
    "a value that has a JSON form": "能够表示为 JSON 的值",
    "a value of the declared type": "所声明类型的值",
    "a value that passes the checks of its type": "能通过其类型检查的值",
    "one of type {kind}": "类型为{kind}的值",
    "{start}... (cut; {count} characters in all)": "{start}……（已截断；共{count}个字符）",
    "one item of it": "其中的一项",
    "values that JSON can hold": "JSON 能够表示的值",
    "some that it cannot": "JSON 无法表示的值",
    "text without {harms}": "不含{harms}的文本",
    "text with one": "含有它的文本",
    "text with {count} of these": "含有其中{count}种的文本",
    "a code fence": "代码围栏",
    "a script": "脚本",
    "a demand to ignore instructions": "要求忽略指令的话",
    "an SQL command that changes data": "更改数据的 SQL 命令",
    "a word such as password or secret": "“密码”或“机密”之类的词",
    "one sentence": "一句话",
    "one sentence on one line": "写在一行内的一句话",
    "blanks": "空白",
    "This is the last reply of this run: only {names} can be called. Answer now by that, from what is known.": (
        "这是本次运行的最后一次回复：只能调用{names}。请根据已知的信息，现在以此作答。"
    ),
    "Your reply is the one that was refused before: {issues}. Give another one, with this mended.": (
        "你的回复与先前未被接受的相同：{issues}。请改正后，给出另一个答案。"
    ),
    "Text does not end this run. Give the answer by calling {names}.": (
        "文字不会结束本次运行。请调用{names}来给出答案。"
    ),
    "Not run: at most {most} calls of one reply are made. Send this call again in the next reply.": (
        "未执行：一次回复中最多执行{most}个调用。请在下一次回复中重新发送此调用。"
    ),
    "Not run: {name} was called with these arguments {count} times, and nothing new can come of it. Use the result "
    "that you have, or do something else. It was: {result}": (
        "未执行：已用这些参数调用{name} {count}次，再次调用不会有新的结果。请使用已有的结果，或者改做其他事。"
        "结果为：{result}"
    ),
    "Not run: {name} was called with these arguments before (1 time), and nothing new can come of it. Use the "
    "result that you have, or do something else. It was: {result}": (
        "未执行：先前已用这些参数调用过{name}（1次），再次调用不会有新的结果。请使用已有的结果，或者改做其他事。"
        "结果为：{result}"
    ),
    "Not run: a person was asked to allow {name} with these arguments before, and refused. Do something else.": (
        "未执行：先前已请人允许以这些参数调用{name}，但被拒绝。请改做其他事。"
    ),
    "Not run: a person was asked to allow {name}, and refused.": "未执行：已请人允许{name}，但被拒绝。",
    "{name} was under way when the run was stopped; whether it had an effect is not known.": (
        "运行停止时{name}正在执行；是否已经产生作用，尚不清楚。"
    ),
    "{name} was begun before the run was stopped; whether it had an effect is not known.": (
        "{name}在运行停止之前已开始执行；是否已经产生作用，尚不清楚。"
    ),
    "{name} was called with these arguments before, and whether it had an effect is not known: it was not run again.": (
        "先前已用这些参数调用过{name}，是否已经产生作用，尚不清楚：没有再次执行。"
    ),
    "{name} did not run: it needs the leave of a person.": "{name}未执行：它需要由人来允许。",
    "The answer was taken.": "答案已被接受。",
    "the answer was given in the same reply": "答案已在同一次回复中给出",
    "it waits for a person": "它在等待人来决定",
    "the run was stopped before": "运行在此之前已经停止",
    "Give the final answer. This ends the work: nothing can be done after it.": (
        "给出最终答案。这将结束工作：此后不能再做任何事。"
    ),
    "There is no tool called {name} any more, to which this run is pinned ({pinned}); there are: {names}. "
    "Nothing was run.": (
        "名为{name}的工具已不存在，而本次运行固定于它（{pinned}）；现有的工具：{names}。没有执行任何操作。"
    ),
    "{name} is hidden since {since}, and not served to this run; nothing was run": (
        "{name}自{since}起已隐藏，不供本次运行使用；没有执行任何操作"
    ),
    "{name} is refused since {since}, and did not run": "{name}自{since}起不再受理，未执行",
    "{name} is retired since {since}, and did not run": "{name}自{since}起已停用，未执行",
    "{name} did not run: this run is pinned to what it began with, and its manifest does not hold {name}": (
        "{name}未执行：本次运行固定于其开始时的工具，其清单中没有{name}"
    ),
    "{name} did not run: this run is pinned to version {pinned} of it, and version {version} accepts {accepted} alone. "
    "It was: {was}. It is now: {now}": (
        "{name}未执行：本次运行固定于它的版本{pinned}，而版本{version}只接受{accepted}。原为：{was}。现为：{now}"
    ),
    "{name} did not run: version {pinned} of it, to which this run is pinned, is refused since {since}. "
    "It was: {was}. It is now: {now}": (
        "{name}未执行：本次运行所固定的版本{pinned}自{since}起不再受理。原为：{was}。现为：{now}"
    ),
    "{name} did not run: it has changed since this run was pinned to it. It was: {was}. It is now: {now}": (
        "{name}未执行：自本次运行固定于它以来，它已改变。原为：{was}。现为：{now}"
    ),
    "{name} did not run: its results break what this run is pinned to, and no adapter can bring them back. "
    "It was: {was}. It is now: {now}": (
        "{name}未执行：其结果与本次运行所固定的不相容，且没有适配器能将其转换回去。原为：{was}。现为：{now}"
    ),
    "version {version}, interface {interface}, surface {surface}": "版本{version}，接口{interface}，表面{surface}",
    "without a version, interface {interface}, surface {surface}": "无版本，接口{interface}，表面{surface}",
    "{name} is deprecated": "{name}已弃用",
    "{name} is deprecated, and refused from {ends} on": "{name}已弃用，自{ends}起不再受理",
    "Version {pinned} of {name}, to which this run is pinned, is deprecated": (
        "本次运行所固定的{name}的版本{pinned}已弃用"
    ),
    "Version {pinned} of {name}, to which this run is pinned, is deprecated, and refused from {ends} on": (
        "本次运行所固定的{name}的版本{pinned}已弃用，自{ends}起不再受理"
    ),
    "{words} ({helps}).": "{words}（{helps}）。",
    "{words}.": "{words}。",
    "use {replacement} instead": "请改用{replacement}",
    "how to migrate: {guide}": "迁移方法：{guide}",
    "ask {contact}": "可联系{contact}",
    "why: {reason}": "原因：{reason}",
    "{name} did not run: its arguments, which are those of version {old}, could not be brought up to version {new}.": (
        "{name}未执行：其参数属于版本{old}，无法转换为版本{new}的参数。"
    ),
    "a call of {names}": "对{names}的调用",
    "text alone": "只有文字",
}
