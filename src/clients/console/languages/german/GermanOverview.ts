import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("de")

export const overview: Translation["server"]["overview"] = {
  well: "Alles in Ordnung.",
  concerns: {
    noBackups: {
      problem: "Es gibt keine Sicherungen.",
      remedy: "BACKUP_TO und BACKUP_EVERY setzen und den Server neu starten."
    },
    noSchedule: {
      problem: "Sicherungen haben keinen Zeitplan.",
      remedy: "BACKUP_EVERY setzen und den Server neu starten. Bis dahin auf der Seite von Hand sichern."
    },
    overdue: {
      problem: "Geplante Sicherungen gelingen nicht rechtzeitig.",
      remedy: "Die Liste nennt den Fehler jedes Versuchs."
    },
    backupFailed: (error) => `Die letzte Sicherung ist fehlgeschlagen: ${error}.`,
    backupRemedy: "Die Ursache beheben und jetzt sichern.",
    drillOverdue: {
      problem: "Keine geplante Probe hat rechtzeitig eine Sicherung wiederhergestellt.",
      remedy: "Sichern und auf der Seite die Wiederherstellung prüfen."
    },
    drillFailed: (error) => `Die letzte Probe der Wiederherstellung ist fehlgeschlagen: ${error}.`,
    drillRemedy: "Jetzt sichern und auf der Seite die Wiederherstellung prüfen.",
    checks: (names) => `Die letzten Prüfungen haben Fehler gefunden: ${names}.`,
    checksRemedy: "Die Seite nennt für jeden Fehler eine Abhilfe. Danach erneut prüfen.",
    mails: (count) => `${counted(count, "Mail", "Mails")} ${form(count, "konnte", "konnten")} nicht gesendet werden.`,
    mailsRemedy: "Die Codes ansehen und die Mails erneut senden.",
    noMail: {
      problem: "Mails erreichen ihre Empfänger nicht.",
      remedy: "SMTP_URL setzen und den Server neu starten. Bis dahin liegen Mails in DATA_DIR/outbox."
    },
    jobs: (count) => `${counted(count, "Export oder Import ist", "Exporte und Importe sind")} fehlgeschlagen.`,
    jobsRemedy: "Die Fehler ansehen und erneut versuchen, was gelingen kann.",
    disk: (free) => `Auf der Festplatte sind nur noch ${free} frei.`,
    diskRemedy:
      "Die Festplatte vergrößern oder gelöschte Arbeitsbereiche endgültig löschen. Ist sie fast voll, werden Uploads abgelehnt.",
    versions: (versions) => `Die Knoten haben verschiedene Versionen: ${versions}.`,
    versionsRemedy: "Die Aktualisierung abschließen."
  },
  sizes: "Größen",
  nodes: "Knoten",
  filesOf: (count, size) => `${count}, ${size}`,
  database: "Datenbank",
  diskFree: "Frei auf der Festplatte",
  lastBackup: "Letzte Sicherung",
  nextBackup: "Nächste Sicherung",
  measured: "Zeitverlauf",
  measuredLead: "Alle Knoten zusammen. Wird jede Minute neu gelesen.",
  range: "Zeitraum",
  ranges: { hour: "Letzte Stunde", day: "Letzter Tag", month: "Letzte 30 Tage", year: "Letztes Jahr" },
  charts: {
    requests: "Anfragen",
    latency: "Dauer der Anfragen",
    stored: "Gespeichert",
    waiting: "Wartend in Warteschlangen",
    overdue: "Wie lange das Älteste einer Warteschlange überfällig ist",
    lag: "Verzögerung nach Änderungen",
    memory: "Speicher"
  },
  requests: { requests: "Alle", refused: "Abgelehnt", errors: "Fehler" },
  latency: { latency_p50: "50 %", latency_p95: "95 %", latency_p99: "99 %" },
  stored: { file_bytes: "Dateien", text_bytes: "Texte", database_bytes: "Datenbank" },
  queues: { mails: "Mails", transfers: "Exporte und Importe", webhooks: "Webhooks", reminders: "Erinnerungen" },
  lag: { search_lag: "Suche", stream_lag: "Streams" },
  memory: { memory_bytes: "Knoten mit dem höchsten Verbrauch" }
}
