import type { Translation } from "../Translation.ts"

export const factors: Translation["factors"] = {
  step: {
    lead: "您的账户设有第二验证因素。",
    back: "返回"
  },
  passkey: {
    refused: "未使用任何通行密钥。",
    known: "此设备已有此服务器上某个账户的通行密钥。",
    elsewhere: (host) => `此服务器的通行密钥仅在 ${host} 有效。`,
    noneHere: "通行密钥要求此服务器的地址（PUBLIC_URL）使用主机名和 HTTPS。",
    noneInBrowser: "通行密钥需要支持它的浏览器，以及通过 HTTPS 打开的页面。"
  },

  lead: "设置后，使用密码登录时还需要验证码或通行密钥。通行密钥也可单独登录。",
  none: "没有第二验证因素。",
  kind: "类型",
  kinds: { totp: "身份验证器应用", passkey: "通行密钥" },
  passkeyOf: (host) => `${host} 的通行密钥`,
  added: "添加时间",
  addApp: "添加身份验证器应用",
  addPasskey: "添加通行密钥",
  rename: "重命名…",
  renameOf: (name) => `重命名 ${name}`,
  remove: "移除…",
  removeOf: (name) => `移除 ${name}`,
  removeConfirm: "它将不能再用于登录，您的会话会保留。移除最后一个因素时，恢复码也会失效。",
  removeProblems: {
    invalid_state: "这是您最后一种登录方式。请先添加另一个因素，或通过“忘记密码？”设置密码。"
  },

  app: {
    scan: "请用身份验证器应用扫描此二维码，或在应用中输入密钥。",
    picture: "含有密钥的二维码",
    open: "在此设备上打开应用",
    secret: "密钥",
    code: "应用显示的验证码",
    add: "添加此应用",
    problems: { invalid_state: "验证码来得太晚。请关闭此对话框并重新开始。" }
  },

  codes: {
    left: (count) => `还剩 ${count} 个恢复码。`,
    make: "生成新的恢复码…",
    makeTitle: "生成新的恢复码",
    makeConfirm: "您现有的恢复码将失效。",
    title: "您的恢复码",
    lead: "每个恢复码可代替丢失的因素使用一次。它们只在此时显示。请保存在没有此设备也能找到的地方。",
    of: (email, host) => `${email} 在 ${host} 的恢复码`,
    print: "打印",
    unkept: "您没有复制、下载或打印恢复码。它们不会再次显示。要关闭吗？"
  },

  needed: {
    title: "需要两个验证因素",
    leads: {
      workspace: "此工作区需要使用两个验证因素登录。",
      server: "服务器页面需要使用两个验证因素登录。"
    },
    confirm: "请用您已有的一个因素确认。",
    add: "请在此添加第二验证因素。尚未保存的文本会留在此设备上。"
  }
}
