import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, list } = phrasesIn("zh")

export const finding: Translation["finding"] = {
  palette: {
    title: "查找或执行操作",
    placeholder: "查找笔记、笔记本、标签或命令",
    outlinePlaceholder: "查找标题",
    noHeadings: "此笔记没有小标题。",
    none: "没有匹配的结果。",
    recent: "最近打开",
    loaded: "最佳匹配",
    server: "全部笔记中",
    commands: "命令",
    headings: "小标题",
    offline: "无法连接服务器。只能查找已加载的内容。",
    count: (count) => counted(count, "个结果"),
    heading: "小标题",
    searchFor: (query) => `在所有文本中搜索“${query}”`,
    create: (title) => `新建笔记“${title}”`,
    hints: [
      ["↑↓", "移动"],
      ["Enter", "打开"],
      ["Esc", "关闭"]
    ]
  },
  list: {
    menu: "列表的排序和行",
    fields: { updated_at: "最近编辑", created_at: "创建时间", title: "标题" },
    relevance: "最佳匹配",
    directions: { byTime: ["最早的在前", "最新的在前"], byTitle: ["A 到 Z", "Z 到 A"] },
    filter: "筛选",
    compact: "每条笔记一行",
    select: "选择笔记"
  },
  note: {
    archive: "移到归档",
    unarchive: "移出归档",
    duplicate: "创建副本",
    trash: "移到回收站",
    trashed: "笔记已移到回收站。",
    isArchived: "笔记已归档。",
    outline: "大纲",
    template: "另存为模板",
    templateSaved: "模板已保存。"
  },
  links: "链接到此笔记",
  columns: { name: "列", side: "导航栏宽度", list: "列表宽度" },
  commands: {
    newNote: { title: "新建笔记", aliases: "创建 编写 写" },
    today: { title: "今天的笔记", aliases: "每日 日记 日志 日期 daily" },
    property: { title: "添加属性", aliases: "元数据 frontmatter yaml" },
    outline: { title: "笔记大纲", aliases: "小标题 目录" },
    links: { title: "指向此笔记的链接", aliases: "反向链接 引用 提及 backlinks" },
    askLinks: { title: "更改标题后询问链接", aliases: "重命名" },
    tasks: { title: "任务", aliases: "待办 到期 今天 逾期 todo" },
    search: { title: "在所有文本中搜索", aliases: "查找" },
    settings: { title: "设置", aliases: "偏好 账户 个人资料" },
    server: { title: "服务器", aliases: "运营者 管理" },
    exports: { title: "导出笔记", aliases: "下载 备份 设置" },
    imports: { title: "导入笔记", aliases: "上传 obsidian logseq" },
    print: { title: "打印笔记", aliases: "pdf 纸张" },
    copyMarkdown: { title: "复制为 Markdown", aliases: "剪贴板 源文本" },
    copyFormatted: { title: "带格式复制", aliases: "剪贴板 富文本 html 邮件 word" },
    exportNote: { title: "保存为 Markdown 文件", aliases: "导出 下载 md" },
    keys: { title: "按键", aliases: "快捷键 键盘 帮助" }
  },
  withoutFiles: "文件包含笔记的文本。附件在其笔记本的导出中。",
  filters: {
    label: "搜索筛选",
    notebook: "笔记本",
    tag: "标签",
    time: "更改时间",
    times: { today: "今天", week: "过去 7 天", month: "过去 30 天", year: "过去一年" },
    property: "属性",
    archive: "归档",
    archived: "仅已归档",
    notArchived: "未归档"
  },
  keys: {
    places: { anywhere: "任何位置", list: "在笔记列表中", text: "在笔记文本中" },
    single: "没有文本获得焦点时，N 等单个按键可执行操作"
  }
}

export const keys: Translation["keys"] = {
  anywhere: [
    ["Ctrl-K", "查找笔记、笔记本、标签、小标题或命令"],
    ["/", "在所有笔记的文本中搜索"],
    ["?", "显示这些按键"],
    ["N", "新建笔记"],
    ["D", "今天的笔记"],
    ["O", "打开的笔记的大纲"],
    ["L", "指向当前笔记的链接"],
    ["T", "任务"],
    ["Ctrl-E", "阅读或编写；选中文本时：代码"],
    ["Ctrl-S", "立即保存"]
  ],
  list: [
    ["↓, ↑; J, K", "下一条笔记，上一条"],
    ["Space", "选择或取消选择笔记"],
    ["Shift-↓, Shift-↑", "同时选择下一条笔记，上一条"],
    ["Ctrl-A", "选择列表中的全部笔记"],
    ["Escape", "取消全部选择"]
  ],
  text: [
    ["Ctrl-B, Ctrl-I, Ctrl-Shift-X", "粗体、斜体、删除线：用于选中的文本或光标处的词；再按一次取消"],
    ["Ctrl-K, 选中文本时", "创建链接；在链接中选中其地址"],
    ["Ctrl-Shift-7, -8, -9", "编号列表、项目符号列表、任务；再按一次结束列表"],
    ["Ctrl-Enter", "勾选任务或选中的任务；将其他行变为任务"],
    ["`/`", "小标题、列表、表格和其他块的菜单"],
    ["Ctrl-Z; Ctrl-Y 或 Ctrl-Shift-Z", "撤销输入；重做"],
    ["Ctrl-F; F3", "在文本中搜索；下一处"],
    ["`[[`, `[[标题#`", "补全笔记的标题，笔记中的小标题"],
    ["Tab, Shift-Tab 在列表中", "将列表项缩进到上一项中；移出"],
    ["Tab, Shift-Tab 在表格中", "下一个单元格，上一个；对齐各列，并在最后一行之后添加一行"],
    ["Alt-↑, Alt-↓", "移动行"],
    ["Alt-Enter, 或 Ctrl-点击", "打开光标处的链接"],
    ["Escape, 然后 Tab", "离开文本"]
  ]
}

const notes = (count: number) => counted(count, "条笔记")

export const several: Translation["several"] = {
  selected: (count) => `已选择 ${notes(count)}`,
  progress: (done, all) => `${done} / ${all}…`,
  move: "移动到笔记本…",
  moveTitle: (count) => `移动 ${notes(count)}`,
  moveAction: "移动",
  tag: "添加标签…",
  tagTitle: (count) => `为 ${notes(count)}添加标签`,
  tagAction: "添加",
  tagName: "标签",
  clear: "取消全部选择",
  archive: "移到归档",
  unarchive: "移出归档",
  trash: "移到回收站",
  restore: "恢复",
  notebookDeleted: (name) => `“${name}”及其笔记已移到回收站。`,
  done: {
    move: (count, notebook) => `${notes(count)}已移到“${notebook}”。`,
    tag: (count, tag) => `${notes(count)}已添加 #${tag}。`,
    archive: (count) => `${notes(count)}已归档。`,
    unarchive: (count) => `${notes(count)}已移出归档。`,
    trash: (count) => `${notes(count)}已移到回收站。`,
    restore: (count) => `${notes(count)}已恢复。`
  },
  failed: (count, shown) => `${notes(count)}未更改：${shown.join("；")}${count > shown.length ? "；…" : ""}`,
  failure: (title, reason) => `“${title}”：${reason}`
}

export const tags: Translation["tags"] = {
  dialog: {
    titles: {
      edit: (name) => `#${name}`,
      merge: (name) => `合并 #${name}`,
      delete: (name) => `删除 #${name}`
    },
    done: { merge: (name) => `#${name} 已合并。`, delete: (name) => `#${name} 已删除。` },
    actions: { edit: "保存", merge: "合并", delete: "删除" },
    name: "标签名称",
    nameHint: "不含空格、逗号和 #",
    exists: "已有同名标签。请改为合并两者。",
    unknown: "没有这个名称的标签。",
    target: "用于替换的标签",
    mergeLead: (name) => `所有带 #${name} 的笔记将改用另一个标签，#${name} 会被删除。`,
    deleteLead: (count) =>
      count === 0 ? "没有笔记使用此标签。" : `${counted(count, "条笔记")}将失去此标签。笔记会保留。`
  },
  all: {
    filter: "名称的一部分",
    more: "显示更多",
    none: "没有匹配的标签。"
  }
}

export const undo: Translation["undo"] = {
  title: "撤销这些更改",
  again: "取消撤销",
  looking: "正在查看撤销的结果",
  lead: "尚未更改任何内容。撤销将产生以下结果：",
  leadAgain: "这些更改已撤销。取消撤销后，它们会恢复：",
  nothing: "其中没有可以撤销的内容。",
  gone: "这些更改已无法撤销。撤销所需的数据保留 90 天。",
  running: "正在撤销",
  mayClose: "关闭此对话框后，服务器会继续。",
  done: "已撤销。",
  doneAgain: "更改已恢复。",
  partly: (kept) => `已撤销。${counted(kept, "项")}保持不变。`,
  failed: "服务器未能全部撤销。已撤销的部分保持撤销状态。",
  details: "详情",
  more: "显示更多",
  outcomes: {
    kept: (count) => `保持不变：${count}`,
    merged: (count) => `恢复原状，但保留之后的更改：${count}`,
    reverted: (count) => `恢复原状：${count}`
  },
  reasons: {
    changed_since: "之后已更改",
    deleted_since: "之后已删除",
    restored_since: "之后已恢复",
    not_kept: "之前的状态已不再保留",
    not_empty: "现在包含其他笔记",
    is_file: "文件会保留：删除文件无法撤销",
    refused: "被拒绝，例如因为限制或名称已被使用"
  },
  fields: { body: "文本", title: "标题", name: "名称", tags: "标签", pinned: "置顶状态", notebook_id: "笔记本" },
  because: (reason, members) => (members.length === 0 ? reason : `${reason}：${list(members)}`),
  types: {
    note: "笔记",
    notebook: "笔记本",
    tag: "标签",
    template: "模板",
    attachment: "文件",
    comment: "评论",
    reminder: "提醒"
  }
}
