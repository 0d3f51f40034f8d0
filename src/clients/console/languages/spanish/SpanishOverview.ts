import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("es")

export const overview: Translation["server"]["overview"] = {
  well: "Todo va bien.",
  concerns: {
    noBackups: {
      problem: "No hay copias de seguridad.",
      remedy: "Defina BACKUP_TO y BACKUP_EVERY y reinicie el servidor."
    },
    noSchedule: {
      problem: "Las copias de seguridad no tienen calendario.",
      remedy: "Defina BACKUP_EVERY y reinicie el servidor. Hasta entonces, hágalas en la página."
    },
    overdue: {
      problem: "Las copias de seguridad previstas no terminan a tiempo.",
      remedy: "La lista tiene el error de cada intento."
    },
    backupFailed: (error) => `La última copia de seguridad ha fallado: ${error}.`,
    backupRemedy: "Elimine la causa y haga una copia de seguridad ahora.",
    drillOverdue: {
      problem: "Ningún simulacro previsto ha restaurado a tiempo una copia de seguridad.",
      remedy: "Haga una copia de seguridad y compruebe su restauración en la página."
    },
    drillFailed: (error) => `El último simulacro de restauración ha fallado: ${error}.`,
    drillRemedy: "Haga una copia de seguridad ahora y compruebe su restauración en la página.",
    checks: (names) => `Las últimas comprobaciones encontraron fallos: ${names}.`,
    checksRemedy: "La página da un remedio para cada fallo. Después, repita las comprobaciones.",
    mails: (count) => `${counted(count, "correo", "correos")} no se ${form(count, "pudo", "pudieron")} enviar.`,
    mailsRemedy: "Mire los códigos y envíe los correos de nuevo.",
    noMail: {
      problem: "Los correos no llegan a sus destinatarios.",
      remedy: "Defina SMTP_URL y reinicie el servidor. Hasta entonces, los correos están en DATA_DIR/outbox."
    },
    jobs: (count) =>
      `${counted(count, "exportación o importación ha fallado", "exportaciones e importaciones han fallado")}.`,
    jobsRemedy: "Mire los errores y reintente lo que pueda salir bien.",
    disk: (free) => `En el disco solo quedan ${free}.`,
    diskRemedy:
      "Amplíe el disco o borre espacios de trabajo eliminados. Las subidas se rechazan cuando está casi lleno.",
    versions: (versions) => `Los nodos tienen varias versiones: ${versions}.`,
    versionsRemedy: "Complete la actualización."
  },
  sizes: "Tamaños",
  nodes: "Nodos",
  filesOf: (count, size) => `${count}, ${size}`,
  database: "Base de datos",
  diskFree: "Libre en el disco",
  lastBackup: "Última copia de seguridad",
  nextBackup: "Próxima copia de seguridad",
  measured: "A lo largo del tiempo",
  measuredLead: "Todos los nodos juntos. Se lee de nuevo cada minuto.",
  range: "Período",
  ranges: { hour: "Última hora", day: "Último día", month: "Últimos 30 días", year: "Último año" },
  charts: {
    requests: "Solicitudes",
    latency: "Duración de las solicitudes",
    stored: "Almacenado",
    waiting: "En espera en las colas",
    overdue: "Retraso de lo más antiguo de cada cola",
    lag: "Retraso tras los cambios",
    memory: "Memoria"
  },
  requests: { requests: "Todas", refused: "Rechazadas", errors: "Errores" },
  latency: { latency_p50: "50 %", latency_p95: "95 %", latency_p99: "99 %" },
  stored: { file_bytes: "Archivos", text_bytes: "Textos", database_bytes: "Base de datos" },
  queues: {
    mails: "Correos",
    transfers: "Exportaciones e importaciones",
    webhooks: "Webhooks",
    reminders: "Recordatorios"
  },
  lag: { search_lag: "Búsqueda", stream_lag: "Flujos" },
  memory: { memory_bytes: "Nodo que más usa" }
}
