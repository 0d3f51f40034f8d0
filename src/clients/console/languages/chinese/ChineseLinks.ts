import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("zh")

export const links: Translation["links"] = {
  candidates: { title: (target) => `“${target}”可能指多条笔记`, lead: "请选择要打开的笔记。" },
  preview: {
    missing: "没有笔记使用此名称。点击即可创建。",
    deleted: "此笔记不在这里。",
    ambiguous: "有多条笔记使用此名称。点击即可选择。",
    empty: "此笔记没有文本。",
    follow: (key) => `按住 ${key} 点击即可打开。`
  },
  backlinks: {
    count: (links, notes) => `${counted(notes, "条笔记")}中的 ${counted(links, "个链接")}`,
    atLeast: (count) => `${count}，还有更多`,
    none: "没有笔记链接到此笔记。",
    offline: "只有服务器有这些链接，而现在无法连接服务器。",
    more: "显示更多",
    broken: "此笔记中没有对应笔记或对应多条笔记的链接",
    missing: "没有笔记使用此名称：创建",
    ambiguous: "有多条笔记使用此名称：选择一条",
    deleted: "使用此标识的笔记不在这里",
    mentions: "没有链接的提及",
    link: "添加链接",
    linkAll: "全部添加链接",
    changed: "期间已更改的笔记保持不变。"
  },
  renamed: {
    ask: (notes, title) => `${counted(notes, "条笔记")}通过旧标题或路径链接到“${title}”。`,
    always: "始终如此",
    update: "更新链接",
    keep: "保留",
    updated: (notes) => `已更新 ${counted(notes, "条笔记")}中的链接。`
  }
}

export const tasks: Translation["tasks"] = {
  label: "显示哪些任务",
  views: { today: "今天", overdue: "已逾期", upcoming: "即将到来", open: "全部未完成", notes: "按笔记" },
  allNotebooks: "所有笔记本",
  empty: {
    today: "今天没有到期或计划的任务。",
    overdue: "没有逾期的任务。",
    upcoming: "今天之后没有到期或计划的任务。",
    open: "没有未完成的任务。笔记中像“- [ ] 买牛奶”这样的一行就是任务。",
    notes: "没有未完成的任务。笔记中像“- [ ] 买牛奶”这样的一行就是任务。"
  },
  due: (text) => `到期日：${text}`,
  dueOn: (date) => `${date} 到期`,
  planned: (date) => `计划于 ${date}`,
  dates: { today: "今天", tomorrow: "明天", week: "一周后", other: "其他日期…", none: "无日期" },
  day: "到期日",
  priority: (text) => `优先级：${text}`,
  priorities: { highest: "最高优先级", high: "高优先级", medium: "中优先级", low: "低优先级", lowest: "最低优先级" },
  noPriority: "无优先级",
  moved: "此任务已更改。列表显示其当前内容。",
  more: "显示更多"
}

export const properties: Translation["properties"] = {
  title: "属性",
  add: "添加属性",
  name: "属性名称",
  kind: "类型",
  kinds: { text: "文本", number: "数字", date: "日期", boolean: "复选框", list: "列表" },
  addItem: "添加一项",
  source: "显示源文本",
  fixed: "这些属性只能在源文本中修改。"
}

export const propertyFilter: Translation["propertyFilter"] = {
  title: "按属性筛选",
  property: "属性",
  apply: "筛选",
  comparison: "比较",
  comparisons: {
    is: "等于",
    contains: "包含",
    on: "当天",
    before: "早于",
    after: "晚于",
    yes: "是",
    no: "否",
    set: "有值",
    unset: "无值"
  },
  value: "值",
  none: "没有笔记含有属性。"
}
