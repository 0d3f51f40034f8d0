import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("zh")

export const transfers: Translation["settings"]["transfers"] = {
  importTitle: "导入",
  imports: "导入记录",
  unnamed: "未命名的文件",
  notesOf: (imported, updated, skipped) =>
    [`新增 ${imported}`, ...(updated > 0 ? [`更新 ${updated}`] : []), ...(skipped > 0 ? [`跳过 ${skipped}`] : [])].join(
      "，"
    ),
  noImports: "没有导入任何内容。",
  noFile: "等待文件",
  statuses: { queued: "等待中", running: "进行中", done: "已完成", ready: "就绪", failed: "失败" },
  exportTitle: "导出",
  exportLead: "一个 ZIP 文件，包含某一时刻的笔记，不含回收站。",
  exports: "导出记录",
  scope: "内容",
  scopes: { workspace: "整个工作区", notebook: "一个笔记本及其内部笔记本" },
  gone: "已删除的笔记本",
  format: "格式",
  formats: { markdown: "Markdown 文件", json: "JSON，可无损地重新导入" },
  formatNames: { markdown: "Markdown", json: "JSON" },
  attachments: "包含笔记的文件",
  submit: "创建导出",
  noExports: "没有导出。",
  kept: "保留最近五个，每个保留七天。",
  downloadOf: (when) => `下载 ${when} 的导出`
}

export const usage: Translation["settings"]["usage"] = {
  lead: (plan, until) => `套餐 ${plan}。请求数于 ${until} 重新计算。`,
  unlimited: (used) => `${used}，无限制`,
  full: "已满",
  meters: {
    storage: "文本和文件",
    templates: "模板",
    shares: "链接"
  },
  limits: "限制",
  limit: "限制项",
  value: "上限",
  limitNames: {
    requests_per_minute: "每个会话和密钥每分钟的请求数",
    attachment_bytes: "文件大小",
    api_keys: "每位用户的 API 密钥",
    devices: "每位用户的设备",
    invitations: "待接受的邀请",
    invitations_per_hour: "每位用户每小时的邀请",
    invitations_per_day: "每位用户每天的邀请",
    audit_days: "审计日志的保留天数"
  },
  noLimit: "无限制",
  requests: "请求",
  requestsLead: (count) => `本月 ${count}，按天（UTC）。`,
  day: "日期",
  noDays: "没有请求。"
}

export const audit: Translation["settings"]["audit"] = {
  title: "条目",
  lead: "与安全有关的操作：登录、密钥、角色、链接、导出。条目永不更改。",
  anyone: "所有人",
  server: "服务器",
  from: "从",
  to: "到",
  apply: "筛选",
  none: "没有匹配的条目。",
  program: "程序",
  undo: "撤销这些更改",
  save: "保存为文件",
  saveLead: "符合筛选条件的所有条目。",
  reading: (count) => `正在读取 ${counted(count, "条")}…`,
  saved: (count) => `已保存 ${counted(count, "条")}。`,
  limited: (most) => `已保存最新的 ${most} 条。要获取其他条目，请按时间筛选。`
}
