import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("zh")

export const overview: Translation["server"]["overview"] = {
  well: "一切正常。",
  concerns: {
    noBackups: {
      problem: "没有备份。",
      remedy: "设置 BACKUP_TO 和 BACKUP_EVERY，然后重启服务器。"
    },
    noSchedule: {
      problem: "备份没有计划。",
      remedy: "设置 BACKUP_EVERY，然后重启服务器。在此之前，请在页面上手动备份。"
    },
    overdue: {
      problem: "计划的备份未按时成功。",
      remedy: "列表中有每次尝试的错误。"
    },
    backupFailed: (error) => `上次备份失败：${error}。`,
    backupRemedy: "消除原因，并立即备份。",
    drillOverdue: {
      problem: "计划的恢复演练未按时恢复备份。",
      remedy: "进行备份，并在页面上检查其恢复。"
    },
    drillFailed: (error) => `上次恢复演练失败：${error}。`,
    drillRemedy: "立即备份，并在页面上检查其恢复。",
    checks: (names) => `上次检查发现故障：${names}。`,
    checksRemedy: "页面上有每个故障的补救办法。之后请重新检查。",
    mails: (count) => `${counted(count, "封邮件")}无法发送。`,
    mailsRemedy: "查看代码，然后重新发送邮件。",
    noMail: {
      problem: "邮件无法送达收件人。",
      remedy: "设置 SMTP_URL，然后重启服务器。在此之前，邮件在 DATA_DIR/outbox 中。"
    },
    jobs: (count) => `${counted(count, "个导出或导入")}失败。`,
    jobsRemedy: "查看错误，重试可能成功的任务。",
    disk: (free) => `磁盘仅剩 ${free}。`,
    diskRemedy: "扩大磁盘，或清除已删除的工作区。磁盘将满时会拒绝上传。",
    versions: (versions) => `各节点的版本不同：${versions}。`,
    versionsRemedy: "完成升级。"
  },
  sizes: "规模",
  nodes: "节点",
  filesOf: (count, size) => `${count}，${size}`,
  database: "数据库",
  diskFree: "磁盘可用空间",
  lastBackup: "上次备份",
  nextBackup: "下次备份",
  measured: "随时间变化",
  measuredLead: "所有节点合计。每分钟重新读取。",
  range: "时间范围",
  ranges: { hour: "过去一小时", day: "过去一天", month: "过去 30 天", year: "过去一年" },
  charts: {
    requests: "请求",
    latency: "请求耗时",
    stored: "已存储",
    waiting: "队列中等待",
    overdue: "各队列中最早一项的逾期时间",
    lag: "更改后的延迟",
    memory: "内存"
  },
  requests: { requests: "全部", refused: "被拒绝", errors: "错误" },
  latency: { latency_p50: "50 %", latency_p95: "95 %", latency_p99: "99 %" },
  stored: { file_bytes: "文件", text_bytes: "文本", database_bytes: "数据库" },
  queues: { mails: "邮件", transfers: "导出和导入", webhooks: "Webhook", reminders: "提醒" },
  lag: { search_lag: "搜索", stream_lag: "事件流" },
  memory: { memory_bytes: "占用最多的节点" }
}
