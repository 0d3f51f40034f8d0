import type { Translation } from "../Translation.ts"

const makerOnly = "只有创建密钥的用户才能为它生成新的密钥值。"

export const keys: Translation["settings"]["keys"] = {
  title: "密钥",
  lead: "程序使用密钥访问 API。密钥具有其创建者的角色。",
  create: "新建密钥",
  nameHint: "使用它的程序，例如“备份脚本”",
  scopes: "它可以",
  scopeNames: {
    "notes:read": "读取笔记",
    "notes:write": "写入笔记",
    "files:read": "读取文件",
    "files:write": "写入文件",
    "export:read": "读取导出",
    "export:write": "创建导出",
    "members:read": "读取成员",
    "members:write": "更改成员",
    "keys:read": "读取密钥",
    "keys:write": "创建密钥",
    "webhooks:read": "读取 Webhook",
    "webhooks:write": "更改 Webhook",
    "audit:read": "读取审计日志",
    profile: "读取个人资料"
  },
  noScope: "请至少选择一项。",
  expires: "到期（可选）",
  secret: (name) => `“${name}”的密钥值`,
  secretHint: "它只显示这一次。请像密码一样保管。",
  begins: "开头",
  none: "没有密钥。",
  rotate: "新密钥值",
  rotateOf: (name) => `为 ${name} 生成新密钥值`,
  rotated: (until) => `之前的密钥值在 ${until} 前有效。`,
  revoke: "撤销…",
  revokeOf: (name) => `撤销 ${name}`,
  revokeConfirm: "使用此密钥的程序会立即被拒绝。",
  revokeButton: "撤销密钥",
  isEnded: "已结束",
  problems: { not_found: makerOnly, forbidden: makerOnly }
}

export const reach: Translation["settings"]["reach"] = {
  title: "可访问",
  limited: "其他内容不可见。"
}

export const apps: Translation["settings"]["apps"] = {
  lead: "代表您操作的助手和程序，每个只在一个工作区内。它们永远不知道您的密码。",
  none: "您没有连接任何应用。",
  name: "应用",
  left: "您已离开的工作区",
  may: "它可以",
  end: "断开…",
  endOf: (name) => `断开 ${name}`,
  endConfirm: "它会立即被拒绝。它写入的内容会保留。",
  endButton: "断开",
  connect: "连接应用",
  connectLead: "在您的助手中输入此地址，作为连接器或 MCP 服务器。它会将您带到此页面，由您允许。",
  ask: (name) => `允许 ${name}？`,
  account: (email) => `它请求使用您的账户 ${email} 访问。`,
  knownByDocument: (host) => `它在 ${host} 上描述自己。`,
  knownBy: {
    registration: "名称由应用自己声明：任何人都可以选择它。",
    operator: "此服务器的运营者认识它。"
  },
  goesTo: (host) => `您的浏览器将前往 ${host}，它会获得访问权限。`,
  local: (place) => `您的浏览器将前往此设备上的一个程序（${place}），它会获得访问权限。仅当您刚刚开始连接它时才允许。`,
  shares: "它还可以通过分享链接公开笔记，任何拥有链接的人都能打开。",
  never: "它不能更改您的账户、创建密钥、导出工作区或邀请他人。",
  refuse: "拒绝",
  allow: "允许",
  problems: { validation_failed: "应用发送了无效的请求。请在应用中重新开始。" }
}

export const webhooks: Translation["settings"]["webhooks"] = {
  title: "此工作区中的 Webhook",
  lead: "服务器按 Standard Webhooks 签名，将此工作区的事件发送到这些地址。",
  none: "没有 Webhook。",
  create: "新建 Webhook",
  urlHint: "公共主机的 https 地址",
  events: "事件",
  all: "所有事件，包括以后版本的事件",
  allOf: (resource) => `${resource}.* 的全部事件`,
  single: (resource) => `${resource} 的事件`,
  submit: "添加 Webhook",
  save: "保存 Webhook",
  active: "启用",
  paused: "已暂停",
  reasons: {
    gone: "已暂停：该地址回应称它已不存在。",
    failing: "已暂停：连续五天所有投递均失败。",
    creator_left: "已暂停：创建它的用户已离开。",
    key_ended: "已暂停：创建它的 API 密钥已结束。"
  },
  used: "上次接受",
  back: "全部 Webhook",
  secret: "签名密钥",
  secretHint: "它只显示这一次。接收方需要它来验证签名。",
  rotate: "新签名密钥",
  rotated: (until) => `在 ${until} 前，投递也用之前的签名密钥签名。`,
  pause: "暂停",
  resume: "继续",
  test: "发送测试",
  removeTitle: "删除 Webhook",
  removeConfirm: "不再向此地址发送事件。其投递记录也会删除。",
  settings: "地址和事件"
}

export const deliveries: Translation["settings"]["deliveries"] = {
  title: "投递",
  lead: "发送事件的每次尝试，最新的在前。保留 30 天。",
  shown: { all: "全部", failed: "失败", succeeded: "成功", pending: "待处理" },
  none: "没有投递。",
  event: "事件",
  attempt: "尝试",
  statuses: { pending: "待处理", succeeded: "成功", failed: "失败" },
  latency: "耗时",
  milliseconds: (count) => `${count} 毫秒`,
  aboutOf: (type, attempt) => `${type} 的第 ${attempt} 次尝试`,
  error: "失败原因",
  request: "请求",
  response: "响应",
  noRequest: "尚未发送。",
  noResponse: "没有响应。",
  headers: "标头",
  body: "正文",
  erased: "内容已清除。",
  resendOf: (type, attempt) => `重新发送：${type} 的第 ${attempt} 次尝试`,
  succeeded: (code) => `接收方已接受（${code}）。`,
  failed: (reason) => `失败：${reason}`,
  waiting: "会尽快发送。"
}

export const folders: Translation["folders"] = {
  connect: "连接文件夹",
  lead: "命令 sheaf sync 使 Markdown 文件夹与笔记保持一致。",
  nameHint: "它在设备上的路径"
}
