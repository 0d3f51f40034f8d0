import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, list } = phrasesIn("zh")

export const notes: Translation["notes"] = {
  trashed: {
    restore: "恢复",
    erase: "永久删除",
    eraseConfirm: "笔记及其历史将被清除。此操作无法撤销。",
    inTrash: "此笔记在回收站中。"
  },
  missing: (id) => `笔记 ${id} 不在这里。它已被删除，或属于另一个工作区。请搜索其中的词语，或到回收站查看。`,
  openTrash: "到回收站查看",
  waiting: {
    title: "此设备上的文本",
    lead: "一旦能连接服务器，它们就会保存。请打开留下的文本：它们需要您处理。",
    open: "打开",
    discard: "放弃"
  },

  boxMoved: "此复选框所在的行已更改。未勾选任何内容：请查看笔记的当前内容。",

  conflict: {
    title: "您和他人更改了同一个标题",
    lead: "请选择标题；如果两者合起来过长，请选择文本。无论如何选择，两者都保留在历史中。",
    mergedLead: "笔记包含双方的内容。历史中有合并之前的笔记。",
    base: "之前",
    theirs: "对方的版本",
    yours: "您的版本",
    result: "结果",
    resultTitle: "结果的标题",
    useMerged: "保存结果",
    useTheirs: "使用对方的版本",
    useYours: "使用您的版本"
  },

  history: {
    same: "文本与之前相同。",
    added: "已添加",
    removed: "已删除",
    version: (version) => `版本 ${version}`,
    current: "当前版本",
    by: (name) => `作者 ${name}`,
    showAll: "显示所有版本",
    restore: "恢复此版本",
    restored: "版本已恢复。",
    restoresTags: (names) =>
      names.length === 0
        ? "笔记将失去标签：此版本没有标签。"
        : `此版本的标签也会恢复：${names.map((name) => `#${name}`).join(" ")}`
  },

  reminders: {
    when: "时间",
    presets: { evening: "今晚", tomorrow: "明天", week: "下周" },
    add: "添加提醒",
    channel: "方式",
    channels: { push: "通知", email: "邮件", webhook: "Webhook" },
    done: "完成",
    remove: (when) => `移除 ${when}`,
    none: "没有提醒。",
    noMail: "此服务器不发送邮件。",
    noWebhook: "Webhook（没有接收提醒的）",
    onlyOpen: "您没有接收通知的设备。Sheaf 打开时会显示提醒。",
    elsewhere: "您的另一台设备会收到通知，此设备不会。",
    subscribe: "在此设备上通知我",
    denied: "浏览器不允许此页面发送通知。可在浏览器设置中更改。",
    fired: (title) => `提醒：${title}`,
    open: "打开笔记",
    subscribed: "此设备会收到通知。"
  },
  comments: {
    add: "评论",
    write: "写评论",
    reply: "回复",
    resolve: "标为已解决",
    reopen: "重新打开",
    remove: "删除",
    deleted: "此评论已删除。",
    none: "还没有评论。"
  },
  shares: {
    lead: "任何拥有链接的人都可以阅读此笔记的当前文本。",
    create: "创建链接",
    password: "密码（可选）",
    passwordHint: "至少 8 个字符",
    expires: "到期（可选）",
    copy: "复制链接",
    remove: "停用此链接",
    protected: "有密码",
    until: (when) => `至 ${when}`,
    views: (count) => counted(count, "次查看")
  }
}

export const attaching: Translation["attaching"] = {
  uploading: (name, percent) => `${name}：${percent}%`,
  tooLarge: (name) => `${name} 超过套餐允许的大小。`,
  unreadable: (name) => `无法读取 ${name}。不能附加文件夹。`,
  notAttached: (name, reason) => `未附加 ${name}：${reason}`
}

export const activity: Translation["activity"] = {
  sentence: (who, what, device, means) =>
    [who, ...(device === undefined ? [] : [`在 ${device} 上`]), ...(means === undefined ? [] : [means]), what].join(
      " "
    ),
  byApp: (app) => `通过 ${app}`,
  byTool: (tool) => `通过助手（${tool}）`,
  byImport: "通过导入",
  byUndo: "通过撤销",
  withKey: (name, key) => `${name}（使用 API 密钥${key === undefined ? "" : ` ${key}`}）`,
  formerMember: "前成员",
  fields: {
    body: "文本",
    title: "标题",
    tags: "标签",
    pinned: "置顶状态",
    notebook_id: "笔记本"
  },
  otherField: "笔记",
  list: (names) => list(names),
  changed: (what) => `更改了${what}`,
  moved: "将笔记移到了另一个笔记本",
  merged: (version) => `将更改与版本 ${version} 合并`,
  restoredVersion: (version) => `恢复了版本 ${version}`,
  deletedVersion: (version) => `从历史中删除了版本 ${version}`,
  created: "创建了笔记",
  imported: "导入了笔记",
  copied: "创建了冲突副本",
  isCopy: "将此笔记创建为冲突副本",
  restored: "从回收站恢复了笔记",
  unarchived: "将笔记移出了归档",
  conflict: (edited, present) =>
    `发送了冲突的更改（基于版本 ${edited}，而${present === null ? "笔记已不存在" : `版本 ${present} 更新`}）`,
  actions: {
    "note.archived": "将笔记移到了归档",
    "note.deleted": "将笔记移到了回收站",
    "attachment.created": "添加了文件",
    "attachment.ready": "上传了文件",
    "attachment.updated": "更改了文件",
    "attachment.deleted": "移除了文件",
    "comment.created": "写了评论",
    "comment.updated": "更改了评论",
    "comment.resolved": "解决了评论",
    "comment.deleted": "删除了评论",
    "reminder.created": "设置了提醒",
    "reminder.updated": "更改了提醒",
    "reminder.fired": "发送了提醒",
    "reminder.deleted": "移除了提醒",
    "share.created": "用链接分享了笔记",
    "share.updated": "更改了链接",
    "share.deleted": "停用了链接"
  },
  versions: (newest, oldest) => (newest === oldest ? `版本 ${newest}` : `版本 ${oldest} 至 ${newest}`),
  openCopy: "打开副本",
  openOriginal: "打开原件",
  undo: (who) => `撤销${who}的更改`,
  undoAgain: "取消撤销",
  theImport: "导入",
  more: "加载更多",
  none: "过去 90 天没有动态。"
}

export const shared: Translation["shared"] = {
  title: "与 Sheaf 分享的内容",
  lead: (time) => `此设备上的另一个应用在 ${time} 分享了这些内容。保存为笔记？`,
  unchecked: "服务器尚未检查此内容的来源。它可能来自另一个网站的页面：仅当您自己分享了它时才保存。",
  later: "内容保留在此设备上。一旦能连接到服务器且您已登录，就会创建笔记。",
  files: "文件",
  save: "保存为笔记",
  discard: "放弃",
  discardConfirm: "放弃分享的内容？此操作无法撤销。",
  outcomes: {
    kept: "无法连接到服务器。分享的内容保留在此设备上，直到您在这里将其保存为笔记。",
    foreign: "另一个网站的页面向 Sheaf 发送了内容。内容未保留：只有此设备上的应用可以分享。",
    lost: "分享的内容未能保留。请再次分享。",
    full: "此浏览器没有足够的空间存放分享的内容。请释放空间后重试。",
    many: "分享的内容未保留，因为已有 20 项在等待。请先保存或放弃它们，再重新分享。",
    large: "分享的内容未保留：一个文本最多 1 MB，所有等待的内容最多 32 MB。请在笔记中上传文件。"
  }
}

export const offline: Translation["offline"] = {
  notKept: "离线。此内容未保留在此设备上。"
}

export const start: Translation["start"] = {
  navigation: "步骤",
  account: "账户",
  steps: {
    import: {
      title: "带来您的笔记",
      name: "笔记",
      lead: "现在或以后在账户菜单中，导入笔记库或其他应用的导出文件。"
    },
    connect: {
      title: "连接应用",
      name: "应用（可选）",
      lead: "助手和应用通过此服务器的地址和密钥访问您的笔记。此页面也在账户菜单中。"
    }
  },
  isDone: "已完成",
  write: "写第一条笔记",
  connect: "连接应用（可选）",
  toNotes: "前往笔记",

  key: {
    title: "API 密钥",
    lead: "密钥在此工作区有效，直到您在设置中撤销它。",
    nameHint: "例如应用的名称",
    initialName: "助手",
    rights: "权限",
    rightsNames: { read: "只读", write: "读写" },
    secret: (name) => `密钥“${name}”`,
    secretHint: "它不会再次显示。"
  },
  assistant: {
    title: "助手",
    lead: "支持 MCP 的助手可以阅读笔记并更改其中的部分内容。没有工具会永久删除笔记。",
    address: "MCP 服务器地址",
    addressHint: "在助手添加连接器或 MCP 服务器的地方输入它。随后会打开此控制台，由您允许。",
    withKey: "需要密钥的助手",
    client: "配置对象",
    configuration: (file) => `${file} 的内容`,
    keys: {
      variable: "助手从环境变量 SHEAF_KEY 读取密钥。",
      content: "密钥在文件中。请勿分享该文件。",
      question: "程序会询问密钥并保存。"
    }
  },
  app: {
    title: "应用",
    lead: "同步笔记的应用会询问此地址。扫描二维码可在手机上打开。",
    address: "应用使用的地址",
    code: (address) => `地址 ${address} 的二维码`,
    onlyHere:
      "只有此设备能使用此地址。要让其他设备访问，请通过 HOST 和 PUBLIC_URL 为服务器设置它们可访问的地址，并在那里打开控制台。"
  },
  copy: (what) => `复制：${what}`
}
