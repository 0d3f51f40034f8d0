import { phrasesIn } from "../../languages/Phrases.ts"
import type { MailTexts } from "./EnglishMails.ts"

const { counted } = phrasesIn("zh")
const line = (text: string): string => `    ${text}`
const from = (ip: string | null): string => (ip === null ? "" : `，来自地址 ${ip}`)

export const chinese: MailTexts = {
  roles: { owner: "所有者", admin: "管理员", editor: "编辑者", viewer: "读者" },
  invitation: ({ email, inviter, role, until, url, workspace }) => [
    `${inviter || "有用户"} 邀请您加入${workspace === "" ? "工作区" : `“${workspace}”`}`,
    "您好：",
    `${[inviter, `<${email}>`].join(" ").trim()} 邀请您加入工作区${workspace === "" ? "" : `“${workspace}”`}，角色为${role}。`,
    "如要接受，请打开此链接：",
    line(url),
    `链接有效期至 ${until}，仅供您本人使用：请勿转发。`,
    "如果您不知道是谁邀请了您，请忽略此邮件。您不接受，就不会发生任何事。"
  ],
  passwordReset: ({ link, token, url }) => [
    "重置您的密码",
    "您好：",
    `有人（希望是您本人）在 ${url} 请求了新密码。如要设置新密码，请打开此链接：`,
    line(link),
    "链接一小时内有效，只能使用一次。如果您的应用要求输入令牌，请使用：",
    line(token),
    "如果不是您本人，请忽略此邮件：您的密码保持不变。请勿分享链接或令牌。"
  ],
  confirmation: ({ email, link, url }) => [
    "确认您的邮箱地址",
    "您好：",
    `${url} 上的一个账户使用邮箱地址 ${email}。如果账户是您的，请打开此链接确认地址：`,
    line(link),
    "链接七天内有效。",
    "如果您不知道此账户，请忽略此邮件：地址将保持未确认。"
  ],
  emailChanged: ({ at, email, url }) => [
    "您的邮箱地址已更改",
    "您好：",
    `自 ${at} 起，您在 ${url} 的账户的邮箱地址是 ${email}。此地址不再接收邮件。`,
    "如果是您本人，无需任何操作。",
    "如果不是您本人，说明他人知道您的密码：请立即联系此服务器的管理员，并在其他使用该密码的地方更改密码。"
  ],
  signedIn: (name, platform) => ["新设备登录", `有人在新设备“${name}”（${platform}）上登录了您的账户`],
  passwordChanged: ["您的密码已更改", "您的账户密码已更改"],
  appConnected: (name, place) => ["新连接的应用", `自称“${name}”的应用（${place}）已连接到您的账户`],
  identityLinked: (name) => ["新的登录方式", `通过“${name}”登录的方式已连接到您的账户`],
  factorAdded: (name) => ["新的第二验证因素", `用于登录的验证因素“${name}”已添加到您的账户`],
  factorRemoved: (name) => ["第二验证因素已移除", `验证因素“${name}”已从您的账户移除`],
  factorsReset: ["您的第二验证因素已移除", "服务器的运营者移除了您账户的所有第二验证因素和恢复码"],
  wrongCodes: ["您的账户收到错误的验证码", "有人发送了您账户的正确密码或拥有其会话，并发送了三个错误的第二因素验证码"],
  keyMade: (name, prefix) => ["新的 API 密钥", `您的账户创建了新的 API 密钥“${name}”，以 ${prefix} 开头`],
  webhookMade: (host) => ["新的 Webhook", `您的账户创建了指向 ${host} 的新 Webhook`],
  mailsSwitchedOff: ["有关您账户的邮件已关闭", "这是有关登录和账户更改的最后一封邮件：这些邮件已关闭"],
  security: ([subject, sentence], { at, ip, reset, url }) => [
    subject,
    "您好：",
    `${sentence}。服务器：${url}，时间：${at}${from(ip)}。`,
    "如果是您本人，无需任何操作。",
    "如果不是您本人，请立即重置密码，并结束您不认识的会话、API 密钥和 Webhook：",
    line(reset)
  ],
  accountDeleted: ({ at, ip, url }) => [
    "您的账户已删除",
    "您好：",
    `您在 ${url} 的账户已于 ${at} 删除${from(ip)}。其会话和 API 密钥已结束，没有其他成员的工作区已一同删除。`,
    "如果是您本人，无需任何操作。",
    "如果不是您本人，请在 30 天内联系此服务器的管理员：在此之前，已删除的工作区可以恢复。"
  ],
  reminder: ({ at, name, title, url, workspace }) => [
    `提醒：${title}`,
    `${name === "" ? "您好" : `${name}，您好`}：`,
    "您要求提醒此笔记：",
    line(title),
    line(at),
    `它在 ${url} 的工作区“${workspace}”中。`,
    "此提醒只发送一次。如需再次提醒，请设置新的时间。"
  ],
  alarm: ([subject, ...paragraphs], pages) => [
    subject,
    "您好：",
    ...paragraphs,
    "运营者可在控制台查看详情：",
    pages.map(line).join("\n"),
    "在原因消除之前，此邮件每天最多发送一次。"
  ],
  backupsFail: (url, error, at) => [
    error === undefined ? "备份逾期" : "上次备份失败",
    error === undefined ? `${url} 没有按时完成计划的备份。` : `${url} 上次计划的备份失败：`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "尚无成功的计划备份。" : `上次成功的备份时间：${at}。`,
    "服务器会重试。其日志中有详情，命令 `sheaf backup` 可立即备份。"
  ],
  drillsFail: (url, error, at) => [
    error === undefined ? "恢复演练逾期" : "上次恢复演练失败",
    error === undefined ? `${url} 没有按时完成计划的恢复演练。` : `${url} 上次恢复演练失败：`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "尚无成功的演练。" : `上次成功的演练时间：${at}。`,
    "在演练成功之前，无法确定备份能否恢复。命令 `sheaf restore 文件 --drill` 可立即将备份恢复到临时数据库。"
  ],
  diskIsLow: ({ free, host, size, url }) => [
    "磁盘将满",
    `${url} 的 DATA_DIR 所在磁盘（主机 ${host}）剩余 ${free} / ${size} GiB。`,
    "请扩大磁盘，或清除已删除的工作区。低于 5 % 时会拒绝上传，磁盘已满时会拒绝所有其他写入。"
  ],
  diskFills: ({ days, free, host, size, url }) => [
    `磁盘将在 ${days} 天后写满`,
    `如果存储量按上周的速度增长，${url} 的 DATA_DIR 所在磁盘（主机 ${host}）将在 ${days} 天后写满：剩余 ${free} / ${size} GiB。`,
    "请扩大磁盘，或清除已删除的工作区。"
  ],
  mailsFail: (url, count) => [
    "有邮件无法发送",
    `过去一天内，${url} 有 ${counted(count, "封邮件")}无法发送。`,
    "请查看其代码，消除原因，然后重新发送。"
  ],
  webhooksEnd: (url, count) => [
    "有 Webhook 被停用",
    `过去一天内，${url} 有 ${counted(count, "个 Webhook")}被停用：端点连续五天拒绝所有投递，或已不存在。`,
    "工作区的所有者可以重新启用。如果数量很多，请检查服务器的网络。"
  ],
  certificateEnds: (url, at) => ["证书即将到期", `${url} 的证书有效期至 ${at}。`, "请在服务器前面的代理上更新证书。"],
  versionReleased: (url, released, running) => [
    `版本 ${released} 可用`,
    `${url} 运行版本 ${running}，版本 ${released} 已发布。`
  ],
  checksFail: (url, checks) => ["检查发现故障", `${url} 的上次检查发现故障：${checks}。`, "每个故障都有补救办法。"],
  versionsDiffer: (url, versions) => [
    "各节点的版本不同",
    `${url} 的各节点一小时以来版本不同：${versions}。`,
    "请完成升级。"
  ],
  test: (url) => ["测试邮件", "您好：", `${url} 的运营者发送了此邮件。邮件可以送达。`]
}
