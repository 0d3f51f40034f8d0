import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { audit, transfers, usage } from "./ChineseData.ts"
import { apps, deliveries, keys, reach, webhooks } from "./ChineseIntegrations.ts"

const { counted, list } = phrasesIn("zh")

export const settings: Translation["settings"] = {
  apps,
  keys,
  reach,
  webhooks,
  deliveries,
  transfers,
  usage,
  audit,
  navigation: "设置",
  sections: { own: "您", workspace: "工作区" },
  pages: {
    account: "账户",
    sessions: "会话和设备",
    apps: "已连接的应用",
    workspace: "工作区",
    people: "人员",
    keys: "API 密钥",
    folder: "文件夹",
    webhooks: "Webhook",
    transfers: "导入和导出",
    usage: "用量",
    audit: "审计日志"
  },
  notAllowed: "您在此工作区的角色不能使用此页面。",
  currentPassword: "当前密码",
  unknown: "未知",
  ends: "结束时间",
  remove: "移除…",

  account: {
    profile: "个人资料",
    language: "语言",
    languageHint: "用于控制台和您的邮件。页面会重新加载。",
    timezone: "时区",
    timezoneHint: "用于您的邮件和模板中的时间。",
    securityMails: "就登录、密码更改、新的 API 密钥和 Webhook 给我发邮件",
    save: "保存个人资料",
    emailHint: "确认链接会发送到新地址，通知会发送到旧地址。",
    newEmail: "新地址",
    changeEmail: "更改地址",
    emailChanged: "地址已更改。请用邮件中的链接确认。",
    passwordHint: "所有其他会话都会结束。",
    newPassword: "新密码",
    changePassword: "更改密码",
    passwordChanged: "密码已更改。",
    identities: "通过登录服务登录",
    identitiesLead: "通过已连接的登录服务，您无需密码即可登录。",
    connect: (name) => `连接${name}`,
    disconnect: "断开…",
    disconnectOf: (name) => `断开${name}`,
    disconnectConfirm: "您将不能再通过它登录。您的会话保留。",
    disconnectButton: "断开",
    noIdentity: "未连接任何登录服务。",
    provider: "登录服务",
    lastUsed: "上次登录",
    disconnectProblems: {
      invalid_state: "这是您最后一种登录方式。请先通过“忘记密码？”设置密码，或连接另一个登录服务。"
    },
    end: "删除账户",
    endHint: "没有其他成员的工作区会连同笔记一起删除，您的成员身份会结束。请先导出需要的内容。",
    endAction: "删除我的账户…",
    endConfirm: "您的账户、会话、API 密钥以及只有您使用的工作区将被删除。",
    endButton: "删除我的账户",
    lastOwner: (names) => `您是${list(names)}的最后一位所有者。请让另一位成员成为所有者，或删除工作区。`
  },

  sessions: {
    lead: "您已登录的位置。",
    device: "设备",
    unnamed: "未命名设备",
    current: "此设备",
    since: "登录时间",
    by: "登录方式",
    ways: { password: "密码", passkey: "通行密钥", provider: "登录服务" },
    factors: { totp: "身份验证器应用", passkey: "通行密钥", recovery_code: "恢复码" },
    none: "没有会话。",
    end: "结束…",
    endOf: (name) => `结束 ${name} 上的会话`,
    endConfirm: (name) => `${name} 会立即退出登录。它尚未保存的文本会留在该设备上。`,
    endButton: "结束会话",
    endOthers: "结束所有其他会话…",
    endOthersTitle: "结束所有其他会话",
    endOthersConfirm: "除此设备外，所有设备都会立即退出登录。",
    devices: "同步的设备",
    devicesLead: "您的保存笔记副本的应用。",
    synced: "上次同步",
    noDevices: "没有应用保存您的笔记副本。",
    removeOf: (name) => `移除 ${name}`,
    removeConfirm: (name) => `${name} 不再接收更改，其会话会结束。`
  },

  workspace: {
    settings: "名称和套餐",
    slug: "地址中的短名称",
    slugHint: "小写字母、数字和连字符",
    save: "保存工作区",
    readOnly: (plan, seats) => `${plan}，${counted(seats, "个席位")}`,
    problems: {
      already_exists: "另一个工作区已使用此短名称。",
      insufficient_role: "您的角色不允许此操作，或由服务器的运营者设置套餐和席位。"
    },
    factors: {
      title: "成员的第二验证因素",
      lead: "自某一时间起，此工作区的笔记只对用户以两个因素登录的会话和应用开放：密码加身份验证器应用、通行密钥或登录服务。API 密钥不需要。",
      isOn: "成员需要第二验证因素",
      from: "自此时间起",
      save: "保存规则"
    },
    offline: {
      title: "在此设备上",
      hint: "此设备上的笔记可在没有网络时阅读和搜索。您编写的文本总会在稍后发送。退出登录会从此设备移除这些笔记。",
      nothing: "不保留笔记",
      all: "所有笔记本的笔记",
      chosen: "所选笔记本的笔记",
      notebooks: "此设备上的笔记本",
      inner: "其中的子笔记本也包括在内。",
      state: (notes, isWhole) => `此设备上有 ${counted(notes, "条笔记")}${isWhole ? "。" : "，还有更多正在下载。"}`,
      unstored: "此浏览器没有空间存放笔记，或不允许存放。"
    },
    all: "您的工作区",
    isOpen: "已打开",
    none: "您没有工作区。",
    createTitle: "新建工作区",
    create: "创建工作区",
    created: (name) => `“${name}”已创建。`,
    leave: "离开工作区",
    leaveHint: "您在其中的 API 密钥和链接会结束。只有邀请才能让您返回。",
    leaveAction: "离开…",
    leaveConfirm: (name) => `您会立即失去对“${name}”的访问权限。`,
    deleteHint: "所有成员会立即失去访问权限。运营者可在 30 天内恢复。",
    deleteConfirm: (slug) => `所有笔记、成员、API 密钥和 Webhook 将被删除。输入 ${slug} 以确认。`,
    deleteField: "工作区的短名称",
    deleteMismatch: "这不是该短名称。",
    personal: "这是您的个人工作区。它会随您的账户一起结束。"
  },

  people: {
    person: "人员",
    role: "角色",
    roleOf: (name) => `${name} 的角色`,
    roles: { owner: "所有者", admin: "管理员", editor: "编辑者", viewer: "读者" },
    rolesHint: [
      ["读者", "阅读笔记"],
      ["编辑者", "编写笔记并创建 API 密钥"],
      ["管理员", "还可管理人员、Webhook 和审计日志"],
      ["所有者", "还可更改套餐和删除工作区"]
    ],
    you: "您",
    since: "加入时间",
    noMembers: "没有成员。",
    roleChanged: (name, role) => `${name} 的角色现在是${role}。`,
    removeOf: (name) => `移除 ${name}`,
    removeConfirm: (name) =>
      `${name} 会立即失去访问权限。其在此工作区的 API 密钥和链接会结束，Webhook 会暂停。其笔记会保留。`,
    removeButton: "移除",
    problems: { last_owner: "工作区需要一位所有者。" },
    invite: "邀请人员",
    send: "发送邀请",
    sent: (email) => `已向 ${email} 发送邀请。`,
    linkHint: "此服务器不发送邮件。请自行转交链接：它只显示这一次。",
    inviteProblems: { already_exists: "此人已是成员，或已被邀请。" },
    invitations: "邀请",
    statuses: { pending: "待接受", accepted: "已接受", expired: "已过期" },
    by: "邀请人",
    noInvitations: "没有邀请。",
    revoke: "撤销…",
    revokeOf: (email) => `撤销对 ${email} 的邀请`,
    revokeConfirm: "链接将失效。",
    revokeButton: "撤销"
  }
}
