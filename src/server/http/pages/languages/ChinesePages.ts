import { fields, problems } from "../../../../../services/languages/ChineseProblems.ts"
import type { PageTexts } from "./EnglishPages.ts"
import { sentencesOf } from "./ProblemSentences.ts"

const sentences = sentencesOf("zh", { fields, problems }, (problem, time) => `${problem}请在 ${time}后重试。`)

const may = {
  viewer: "阅读笔记",
  editor: "阅读和编写笔记",
  admin: "阅读和编写笔记，并管理成员",
  owner: "可在其中执行一切操作"
}
const roles = { viewer: "读者", editor: "编辑者", admin: "管理员", owner: "所有者" }

export const chinese: PageTexts = {
  lang: "zh-Hans",
  ...sentences,
  busy: "服务器繁忙。请几秒后重试。",
  wrongTitle: (title) => `错误：${title}`,
  copy: "复制",
  copied: "已复制",
  needsScript: "Sheaf 需要 JavaScript。",

  labels: { email: "邮箱地址", name: "姓名", password: "密码", code: "验证码或恢复码", new_password: "新密码" },
  nameHint: "他人看到的姓名。可以留空。",
  passwordHint: "至少 10 个字符。",
  openSheaf: "打开 Sheaf",
  signedIn: "您已登录。",
  signedInAs: (email) => `您已以 ${email} 登录。`,

  unavailable: ["服务器繁忙", "请几秒后重试。"],
  throttled: ["尝试次数过多", "请等待几分钟后重试。"],

  invitation: {
    title: (workspace) => `加入 ${workspace}`,
    lead: (inviter, email, workspace, role) =>
      `${inviter} 邀请 ${email} 加入工作区 ${workspace}，角色为${roles[role]}（${may[role]}）。`,
    may,
    until: (time) => `邀请有效期至 ${time}。`,
    isNew: "我是新用户",
    newLead: "创建账户并加入。",
    create: "创建账户并加入",
    hasAccount: "我有账户",
    accountLead: "输入密码并加入。",
    forgot: "忘记密码？",
    join: "加入",
    footer: (request) => `如果您已在应用中登录，应用可以用 ${request} 和此链接的令牌接受邀请。`,
    wrongPassword: "密码不正确，或此地址还没有账户。",
    isKnown: "此地址已有账户：请在“我有账户”下输入其密码。",
    joined: (workspace) => `您已加入 ${workspace}`,
    member: (email, workspace) => `${email} 现在是工作区 ${workspace} 的成员。`,
    signInToOpen: "请用此地址登录以打开工作区。",
    ready: "您的账户已就绪",
    failed: (email, workspace, isSignedIn, problem) =>
      `您${isSignedIn ? "已登录为" : "可以登录"} ${email}。但无法接受加入 ${workspace} 的邀请：${problem}`,
    askAgain: "请索取新的邀请。",
    unknown: ["此邀请已失效", "请检查链接是否完整。如果邀请被重新发送，只有最新邮件中的链接有效。"],
    expired: ["邀请已过期", "请让邀请您的人重新发送。"]
  },

  signIn: {
    by: (provider) => `通过${provider}继续`,
    done: "您已登录",
    confirmed: "已确认是您本人",
    close: "请关闭此页面，并在 Sheaf 中继续。",
    failed: "登录未成功",
    refused: (provider) => ({
      closed: ["此服务器没有您的账户", `仅受邀者可以注册。请打开您的邀请链接，并在那里通过${provider}继续。`],
      declined: [`${provider}未让您登录`, "登录在那里被取消或拒绝。请重新开始。"],
      ended: ["此次登录已结束", "它只能使用一次，须在开始登录的浏览器中于十分钟内完成。请重新开始。"],
      invalid: ["登录无效", `${provider}的响应未通过检查。请重新开始。如果再次发生，请询问此服务器的运营者。`],
      knownAddress: ["已有使用您的地址的账户", `请用原来的方式登录，然后在账户设置中连接${provider}。`],
      linkedElsewhere: ["此登录属于另一个账户", `${provider}的该用户已与此服务器的另一个账户连接。`],
      noAddress: [`${provider}未提供电子邮件地址`, "账户需要一个地址。请询问此服务器的运营者。"],
      notLinked: [`${provider}未与您的账户连接`, "该链接已被使用、已过期，或属于另一个登录。"],
      otherAddress: ["该邀请针对另一个地址", `${provider}提供了另一个地址，或未验证您的地址。`],
      tooMany: ["该账户的登录方式过多", "请先在账户设置中断开其中一个。"],
      unknownProvider: ["没有该登录服务", "请检查地址。"],
      unreachable: [`无法连接到${provider}`, "请一分钟后重试。如果仍然如此，请询问此服务器的运营者。"]
    })
  },

  mailed: {
    reset: {
      title: "重置您的密码",
      intro: "请输入您账户的邮箱地址。我们会向您发送用于设置新密码的链接。",
      life: "链接一小时内有效，只能使用一次。",
      sent: (email) => `您输入了 ${email}。如果此地址有账户，带链接的邮件正在发送。链接一小时内有效，只能使用一次。`
    },
    confirmation: {
      title: "确认您的地址",
      intro: "请输入您账户的邮箱地址。我们会向您发送用于确认的链接。",
      life: "链接七天内有效。",
      sent: (email) => `您输入了 ${email}。如果此地址有账户且尚未确认，带链接的邮件正在发送。链接七天内有效。`
    },
    send: "发送链接",
    check: "请查收邮件",
    noMail: "如果没有收到邮件，请检查地址拼写和垃圾邮件文件夹。",
    expired: "此链接已过期",
    broken: "此链接无效",
    why: "它已被使用、已过期，或不完整。"
  },

  password: {
    title: "设置新密码",
    lead: "所有设备都会退出登录，并需要新密码。",
    change: "更改密码",
    changed: "您的密码已更改",
    signedOut: (email) => `您已以 ${email} 登录。所有其他设备已退出登录。`,
    signIn: (email) => `请用 ${email} 和新密码登录。所有设备已退出登录。`
  },

  confirm: {
    title: "确认您的地址",
    question: (url, email) => `${url} 上的一个账户使用地址 ${email}。这是您的账户吗？`,
    ifNot: "如果您不知道此账户，请关闭此页面：地址将保持未确认。",
    button: "确认地址",
    confirmed: "您的地址已确认",
    done: (email) => `${email} 已确认。您可以关闭此页面。`
  },

  setup: {
    title: "创建第一个账户",
    lead: "它拥有第一个工作区，并管理服务器。之后您可以导入笔记。",
    create: "创建账户",
    ready: "您的账户已就绪",
    signIn: (email) => `请用 ${email} 和您的密码登录，以导入笔记和连接应用。`,
    continue: "继续",
    showKey: "显示用于脚本的密钥",
    key: "API 密钥",
    keyHint: (docs) => `它可在您的工作区中执行一切操作，且不会再次显示。${docs}文档</a>（英文）介绍如何使用 API。`,
    expired: ["此链接已过期", "链接一小时内有效。请重启 Sheaf：它会显示新的链接。"],
    broken: [
      "此链接无效",
      "它已被使用、不完整，或已有账户设置了密码。如果您已使用过它，请在应用中登录。",
      "在没有账户设置密码之前，Sheaf 每次启动都会显示新的链接。"
    ]
  },

  share: {
    updated: (date) => `更新于 ${date}`,
    empty: "此笔记是空的。",
    footer: "用 Sheaf 分享的笔记",
    protectedTitle: "受保护的笔记",
    protected: "此笔记受密码保护",
    askPassword: "请向与您分享的人索取密码。",
    open: "打开",
    wrongPassword: "密码不正确。",
    notFound: ["未找到", "请检查链接是否完整。笔记可能已不再分享。"],
    expired: ["此链接已过期", "请向发送者索取新的链接。"]
  },

  problemPage: {
    notFound: ["未找到页面", "请检查地址。"],
    heading: (_title) => "操作未成功",
    ofApi: "此地址属于供程序使用的 API。每个请求都需要访问令牌或 API 密钥。",
    ways: (start, docs) => `前往${start}首页</a>或${docs}API 参考（英文）</a>。`,
    status: (status) => `状态 ${status}`,
    cause: "原因（英文）",
    remedy: "解决办法（英文）",
    all: (docs) => `${docs}所有问题，以及返回它们的操作（英文）</a>`,
    footer: (code, request) => `问题 ${code}，请求 ${request}`
  }
}
