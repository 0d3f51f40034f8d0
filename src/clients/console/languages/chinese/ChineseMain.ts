import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import { problems } from "../../../../../services/languages/ChineseProblems.ts"
import type { Translation } from "../Translation.ts"
import { account } from "./ChineseAccounts.ts"

const { counted, list } = phrasesIn("zh")

export const main: Translation["main"] = {
  name: "Sheaf",
  close: "关闭",
  save: "保存",
  undo: "撤销",
  retry: "重试",
  more: "更多",
  cancel: "取消",
  copied: "已复制。",
  notCopied: "浏览器不允许 Sheaf 复制。请选中文本并自行复制。",
  settings: "设置",
  connect: "连接应用",
  server: "服务器",
  offline: "无法连接服务器。您的文本保留在此设备上。",
  notFound: "此笔记不在这里。它可能已被删除，或属于另一个工作区。",
  unexpected: "发生了意外情况。您的文本保留在此设备上。",
  untitled: "无标题",
  noteName: "笔记",
  notebook: "笔记本",

  problems: {
    ...problems,
    no_response: "无法连接服务器。",
    unexpected_response: "服务器返回了意外的响应。"
  },

  account,

  lists: {
    all: "全部笔记",
    tasks: "任务",
    archive: "归档",
    trash: "回收站",
    search: "搜索"
  },
  navigation: "笔记本和标签",
  openNavigation: "打开导航",
  notebooks: "笔记本",
  tags: "标签",
  newNotebook: "新建笔记本",
  editNotebook: "编辑…",
  deleteNotebook: "删除",
  moveNotebook: "移动到…",
  notebookTitle: (name, own, inside) =>
    own === inside ? `${name}：${own}` : `${name}：${own}，含内部笔记本 ${inside}`,
  newSubnotebook: "在其中新建笔记本",
  expand: (name) => `显示“${name}”中的笔记本`,

  tagMenu: { edit: "名称和颜色…", merge: "合并到…", delete: "删除…" },
  allTags: {
    title: "全部标签",
    limited: (most) => `显示笔记最多的 ${most} 个标签。`
  },

  skip: "跳到笔记列表",
  search: "搜索笔记",
  palette: (key) => `查找或执行操作（${key}）`,
  list: {
    pick: (title) => `选择 ${title}`
  },
  results: (count) => counted(count, "条笔记"),
  empty: {
    all: "还没有笔记。写下第一条吧。",
    archive: "归档的笔记在这里。",
    trash: "回收站是空的。笔记在此保留 30 天。",
    notebook: "此笔记本是空的。",
    tag: "没有笔记使用此标签。",
    search: "没有匹配的笔记。"
  },
  noSelection: "从这里开始：",
  writeNote: "写笔记",
  keysHint: (find, write) => `${find} 查找笔记和命令，${write} 在阅读和编写之间切换，? 显示按键。[[ 链接另一条笔记。`,
  newNote: "新建笔记",
  fromTemplate: "用模板新建笔记",

  importNotes: "导入笔记…",
  manageTemplates: "管理模板…",
  unresolved: (names) => `笔记中有未赋值的占位符：${list(names)}`,
  note: {
    title: "标题",
    body: "笔记文本",
    read: "阅读",
    write: "编写",
    back: "返回列表",
    pin: "置顶",
    unpin: "取消置顶",
    removed: "此笔记已被删除或移到回收站。",
    move: "笔记本",
    tags: "标签",
    addTag: "添加标签",
    removeTag: (name) => `移除 ${name}`,
    words: (count) => counted(count, "个词"),
    history: "历史",
    activity: "动态",
    share: "分享",
    reminders: "提醒",
    comments: "评论",
    attach: "添加附件"
  },

  saving: {
    saved: "已保存",
    saving: "正在保存…",
    typing: "尚未保存",
    offline: "离线：保留在此设备上",
    conflict: "需要您决定",
    refused: "未保存",
    unstored: "此浏览器无法保留文本。请不要关闭页面。",
    merged: "已与另一处更改合并",
    compare: "比较"
  },
  gone: "您编写期间，笔记已被删除。您的文本保留在这里。",
  saveAsNew: "另存为新笔记",
  discard: "放弃我的文本",
  discardConfirm: "放弃未保存的文本？此操作无法撤销。",

  waiting: {
    count: (count) => counted(count, "个文本待保存"),
    show: "显示",
    sent: "文本已在此期间保存。"
  },

  noWorkspace: "您已不是此工作区的成员，或工作区已被删除。",
  openOwnWorkspace: "打开我自己的工作区",
  editorOffline: "没有服务器，无法加载编辑器。您的文本保留在此设备上。",
  restored: (when) =>
    `服务器已从${when === undefined ? "" : ` ${when} 的`}备份恢复。此后的更改已缺失，除非有设备再次发送。您未保存的文本已保留。`,
  newVersionOfServer: "服务器已更新。请重新加载页面以继续；您的文本会保留。",
  reload: "重新加载"
}
