import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("zh")

export const account: Translation["main"]["account"] = {
  signIn: "登录",
  by: (provider) => `通过${provider}继续`,
  byPasskey: "使用通行密钥登录",
  signInLead: "您的笔记，在您的服务器上。",
  signUp: "创建账户",
  signUpLeads: {
    open: "任何人都可以在此服务器上创建账户。",
    invite: "请使用收到邀请的邮箱地址。"
  },
  forgot: "忘记密码？",
  forgotLead: "如果此地址有账户，我们会向它发送一封带链接的邮件。",
  sendLink: "发送链接",
  linkSent: "请查收邮件。链接一小时内有效。",
  email: "邮箱地址",
  password: "密码",
  passwordHint: "至少 10 个字符",
  name: "姓名",
  invitation: "邀请",
  invitationHint: "邀请链接中 token= 之后的部分",
  firstStart: "首次启动？请打开服务器在终端中显示的链接。",
  again: "您的会话已结束",
  againLead: "您的会话已结束。您输入的内容会保留在此浏览器中，直到您再次登录。",
  add: "添加账户",
  signOut: "退出登录",
  signOutConfirm: "部分文本尚未保存到服务器。它会保留在此浏览器中，直到您再次登录。退出登录？",
  sendingConfirm: "仍有文件正在发送，退出后将无法送达。退出登录？",
  signedOutHere: "您已在此设备上退出登录。无法连接服务器：会话仍在其列表中。",
  signedOutElsewhere: "您已在另一个标签页中退出登录。",
  menu: "账户和工作区"
}

export const templates: Translation["templates"] = {
  title: "模板",
  none: "还没有模板。笔记也可以另存为模板。",
  create: "新建模板",
  edit: "编辑",
  remove: "删除",
  back: "返回",
  name: "模板名称",
  body: "模板文本",
  deleted: (name) => `“${name}”已删除。`,
  changed: "其他用户更改了此模板。再次保存会用您的文本替换它。",
  gone: "模板已被删除。再次保存会用您的文本重新创建。",
  placeholders: "占位符",
  hints: [
    ["{{title}}", "笔记的标题"],
    ["{{date}} {{time}} {{datetime}}", "现在，按您的时区"],
    ["{{year}} {{month}} {{day}} {{weekday}}", "日期的各部分"],
    ["{{date:DD.MM.YYYY}}", "按 Day.js 的格式"],
    ["{{date+1d}} {{date-2w}}", "按 h、d、w、m 或 y 偏移"],
    ["{{user.name}} {{user.email}}", "您"],
    ["{{notebook.name}} {{workspace.name}}", "笔记所在的位置"],
    ["{{uuid}}", "每次都是新的标识符"]
  ]
}

export const imports: Translation["imports"] = {
  title: "导入笔记",
  file: "文件",
  drop: "选择文件，或拖放到这里",
  source: "来源",
  sources: {
    auto: "任意程序：根据内容识别",
    markdown: "Markdown 或 ZIP（Obsidian、Logseq、Bear）",
    enex: "Evernote（.enex）",
    notion: "Notion（ZIP）",
    json: "Sheaf（JSON 导出）"
  },
  notebook: "导入到",
  ownNotebooks: "按文件夹新建笔记本",
  existing: "以前导入的笔记",
  existingWays: {
    skip: "保持不变；添加有更改的笔记",
    update: "将更改写入其中",
    duplicate: "再次添加全部笔记"
  },
  options: "选项",
  start: "导入",
  tooLarge: (name) => `${name} 超过导入上限 2 GB。请拆分。`,
  sending: (name) => `正在发送 ${name}`,
  keepOpen: "文件发送完成前，请保持页面打开。",
  unsent: "无法连接服务器，文件未发送。",
  waiting: "文件已送达。导入正在排队。",
  running: "正在导入",
  soFar: (count, total) =>
    total !== null
      ? `${count} / ${counted(total, "条笔记")}`
      : count === 0
        ? "正在读取文件"
        : `已导入 ${counted(count, "条笔记")}`,
  mayClose: "关闭此对话框或页面后，服务器会继续。",
  away: "无法连接服务器。导入仍在服务器上继续。",
  done: (count, remarks = 0) =>
    `已导入 ${counted(count, "条笔记")}。${remarks === 0 ? "" : counted(remarks, "条备注")}`,
  imported: (count) => `此前已导入 ${counted(count, "条笔记")}。`,
  updated: (count) => `已更新 ${counted(count, "条笔记")}。`,
  skipped: (count) => `${counted(count, "条笔记")}已存在，已跳过。`,
  failed: "导入失败。",
  remarks: "备注",
  moreProblems: (count) => `另有 ${count} 条。`,
  show: "显示",
  other: "导入另一个文件",
  undo: "撤销此次导入",
  preview: "预览",
  foreseen: "导入预览："
}

export const administration: Translation["administration"] = {
  words: {
    about: "对象",
    action: "操作",
    actionOf: (action, when) => `${action}，${when}`,
    actions: "操作",
    address: "地址",
    begun: "开始时间",
    created: "创建时间",
    delete: "删除…",
    deleteWorkspace: "删除工作区",
    details: "详情",
    download: "下载",
    due: (when) => `预定 ${when}`,
    email: "邮箱地址",
    file: "文件",
    files: "文件",
    kept: "保留的全部内容，含上传、导入、导出和已删除的文件",
    lastUsed: "上次使用",
    linkFor: (email) => `给 ${email} 的链接`,
    makeKey: "创建密钥",
    members: "成员",
    name: "名称",
    never: "从未",
    notes: "笔记",
    of: (used, limit) => `${used} / ${limit}`,
    open: "打开",
    openOf: (name) => `打开 ${name}`,
    password: "密码",
    plan: "套餐",
    plans: { free: "Free", plus: "Plus", team: "Team" },
    refresh: "刷新",
    result: "结果",
    saved: "已保存。",
    seats: "席位",
    secondFactors: "第二验证因素",
    sendAgain: "重新发送",
    sendAgainTo: (email) => `重新发送给 ${email}`,
    sessions: "会话",
    sessionsEnded: (count) => `已结束 ${counted(count, "个会话")}。`,
    show: "显示",
    size: "大小",
    state: "状态",
    stored: "已存储",
    when: "时间",
    workspace: "工作区"
  },
  back: "返回笔记",
  skip: "跳到页面",
  noPage: "没有这个页面。",
  done: "完成",
  copy: "复制",
  showDetails: "详情",
  hideDetails: "收起",
  loadMore: "加载更多",
  password: {
    title: "确认是您本人",
    lead: "您登录已有一段时间。",
    one: "以下任意一种即可。",
    code: "身份验证器应用的验证码或恢复码",
    recoveryCode: "恢复码",
    passkey: "使用通行密钥",
    confirm: "继续",
    by: (name) => `通过${name}确认`,
    after: "请在另一页面登录，然后在此继续。",
    problems: { invalid_credentials: "密码不正确。" }
  }
}
