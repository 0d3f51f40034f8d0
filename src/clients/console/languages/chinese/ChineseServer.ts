import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { overview } from "./ChineseOverview.ts"

const { counted } = phrasesIn("zh")

export const server: Translation["server"] = {
  navigation: "服务器",
  notAllowed: "只有服务器的运营者可以使用此页面。",
  pages: {
    overview: "概览",
    users: "用户",
    workspaces: "工作区",
    jobs: "任务",
    backups: "备份",
    mails: "邮件",
    checks: "检查",
    system: "系统"
  },
  no: "否",
  search: "搜索",
  version: "版本",
  yes: "是",

  overview,

  users: {
    list: "全部用户",
    words: "地址或姓名",
    suspendedOnly: "已停用的用户",
    operatorsOnly: "运营者",
    none: "没有匹配的用户。",
    usual: "正常",
    suspended: "已停用",
    operator: "运营者",
    active: "上次活动",
    confirmed: "地址已确认",
    personal: "个人工作区",
    create: "新建用户",
    createLead: "该地址视为已确认。用户有一个个人工作区。",
    nameOptional: "姓名（可选）",
    passwordHint: "至少 10 个字符。用户可以更改。",
    submit: "创建用户",
    names: "地址和姓名",
    namesLead: "新的地址视为已确认。",
    problems: {
      already_exists: "另一位用户已使用此地址。",
      not_found: "没有这位用户。"
    },
    suspend: "停用…",
    resume: "恢复使用",
    makeOperator: "设为运营者…",
    endOperator: "取消运营者权限",
    makeLink: "新密码链接",
    linkHint: (until) => `它只显示这一次，同时会通过邮件发给用户。它只能使用一次，${until} 前有效。`,
    endSessions: "结束所有会话…",
    resetFactors: "移除第二验证因素…",
    factorsReset: (count) => `已移除 ${count} 个因素。`,
    deleted: (email) => `${email} 已删除。`,
    titles: {
      suspend: "停用用户",
      makeOperator: "设为运营者",
      endSessions: "结束所有会话",
      resetFactors: "移除第二验证因素",
      delete: "删除用户"
    },
    leads: {
      suspend: (email) => `${email} 的所有会话会立即结束，登录和 API 密钥会被拒绝。不会删除任何内容。`,
      makeOperator: (email) => `${email} 将可以像您一样在服务器页面上执行一切操作。`,
      endSessions: (email) => `${email} 会在所有设备上退出登录。API 密钥会保留。`,
      resetFactors: (email) =>
        `${email} 在添加新的因素之前无需第二因素即可登录，并会收到一封邮件。请仅在确定请求来自本人时执行。`,
      delete: (email) => `${email} 的账户将被删除，且无法恢复。没有其他成员的工作区会一同删除；它们可在 30 天内恢复。`
    }
  },

  workspaces: {
    list: "全部工作区",
    lead: "它们存储的量，不含内容。",
    words: "名称或短名称",
    presentOnly: "未删除的工作区",
    deletedOnly: "已删除的工作区",
    none: "没有匹配的工作区。",
    slug: "短名称",
    textBytes: "文本",
    present: "使用中",
    personal: "个人",
    deleted: "已删除",
    erasing: "正在清除",
    deletedAt: "删除时间",
    problems: { not_found: "没有这个工作区：它可能已被清除。" },
    planTitle: "套餐和席位",
    search: "搜索索引",
    searchLead: "用于搜索找不到已有内容的情况。索引完成之前，搜索只能找到部分笔记。",
    reindex: "重建索引",
    reindexed: "下次搜索会重建索引。",
    end: "删除和清除",
    endLead: "已删除的工作区可在 30 天内恢复。已清除的无法恢复。",
    deleteConfirm: (name) => `“${name}”的所有成员会立即失去访问权限。可在 30 天内恢复。`,
    erase: "清除…",
    eraseTitle: "清除工作区",
    eraseConfirm: (slug) => `其中的一切会在两小时内清除，且无法恢复。输入 ${slug} 以确认。`,
    erasingLead: "正在清除工作区。它无法恢复。",
    personalLead: "这是某位用户的个人工作区。它会随用户一起结束。",
    restore: "恢复工作区",
    restoreLead: "其成员会重新获得访问权限，笔记完整。",
    restored: "工作区已恢复。",
    owner: "所有者的地址（可选）",
    ownerHint: "此服务器的一位用户，将成为所有者。没有所有者时必填；否则在删除一天后可用。"
  },

  jobs: {
    title: "导出和导入",
    lead: "所有工作区的导出和导入，在保留期内。",
    all: "所有状态",
    none: "没有这样的导出和导入。",
    kind: "类型",
    kinds: { export: "导出", import: "导入" },
    states: {
      awaiting_file: "等待文件",
      queued: "等待中",
      running: "进行中",
      retrying: "重试中",
      failed: "失败",
      done: "已完成"
    },
    nameOf: (kind, workspace) => `${workspace} 的${kind}`,
    next: (when) => `${when} 重试`,
    retryOf: (name) => `重试：${name}`,
    cancel: "结束…",
    cancelOf: (name) => `结束：${name}`,
    cancelConfirm: "它会以失败结束。导入已创建的笔记会保留。",
    cancelButton: "结束"
  },

  backups: {
    plan: "计划",
    planLead: "由 BACKUP_TO、BACKUP_EVERY、BACKUP_KEEP 和 BACKUP_RECIPIENT 设置。",
    noPlan: "没有备份。请设置 BACKUP_TO 和 BACKUP_EVERY，然后重启服务器。",
    to: "位置",
    every: "间隔",
    noSchedule: "无计划",
    keep: "保留",
    encrypted: "加密",
    last: "上次成功",
    next: "下次",
    begin: "立即备份",
    isRunning: "正在备份…",
    lead: "保留的备份，以及最近失败的尝试。",
    none: "没有备份。",
    kind: "原因",
    kinds: { scheduled: "计划", manual: "手动" },
    running: "进行中",
    failed: "失败",
    failedTimes: (count) => `失败 ${count} 次`,
    made: "已完成",
    downloadOf: (when) => `下载 ${when} 的备份`
  },

  drills: {
    title: "恢复演练",
    lead: "演练将最新的备份恢复到临时数据库，比较两者，然后删除该数据库。由 BACKUP_VERIFY_EVERY 设置。",
    last: "上次恢复演练",
    backup: "备份",
    next: "下次演练",
    succeeded: "已恢复，无差异",
    begin: "立即检查恢复",
    isRunning: "正在检查恢复…"
  },

  mails: {
    title: "等待和失败的邮件",
    lead: "等待中的邮件，以及过去 7 天内无法发送的邮件。不显示正文。",
    none: "没有等待或失败的邮件。",
    recipient: "收件人",
    attempts: "尝试次数",
    states: { waiting: "等待中", retrying: "重试中", failed: "失败" },
    resent: (recipient) => `正在重新发送给 ${recipient} 的邮件。`,
    problems: { not_found: "邮件已在此期间发送。" },
    test: "测试邮件",
    testLead: "它会立即发送，并显示邮件服务器的响应。",
    testTo: "收件人地址",
    sendTest: "发送测试邮件",
    tested: (recipient) => `邮件服务器已接受发给 ${recipient} 的邮件。`,
    testFailed: (error) => `邮件未发送：${error}。`,
    testKept: "没有邮件服务器：邮件在 DATA_DIR/outbox 中。请设置 SMTP_URL。"
  },

  checks: {
    begin: "检查服务器",
    lead: "检查只读取，不做更改。彻底检查会读取所有文件的字节，可能耗时较长。",
    quick: "快速检查",
    thorough: "彻底检查",
    last: "上次检查",
    none: "尚未检查服务器。",
    earlier: "以前的检查",
    states: { running: "进行中", ended: "已结束", interrupted: "已中断" },
    faulty: (count) => (count === 0 ? "无故障" : `${counted(count, "项检查")}有故障`),
    resultsOf: (when) => `${when} 的结果`,
    noResults: "还没有结果。",
    check: "检查项",
    found: "发现",
    statuses: { ok: "正常", faulty: "有故障", repaired: "已修复", skipped: "已跳过" },
    more: "还有更多故障。",
    openWorkspace: "打开工作区"
  },

  system: {
    releaseNotes: "各版本的更改",
    noNodes: "过去一分钟没有节点报告。",
    host: "主机",
    listens: "监听地址",
    workers: "进程",
    memory: "内存",
    started: "启动时间",
    search: "搜索索引",
    searchLead: "作出响应的节点的索引。",
    indexes: "在内存中",
    settings: "设置",
    settingsLead: "作出响应的节点的环境变量。机密已隐藏。更改需要重启。",
    noSettings: "此服务器启动时未使用环境变量。",
    value: "值",
    unset: "未设置",
    source: "来源",
    sources: { environment: "环境变量", default: "默认值" }
  },

  audit: {
    title: "运营者的操作",
    lead: "在控制台、通过 API 和通过命令进行的操作。条目永不更改。",
    actor: "运营者",
    command: "命令行",
    none: "运营者尚未执行任何操作。"
  }
}
