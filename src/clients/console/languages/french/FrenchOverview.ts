import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("fr")

export const overview: Translation["server"]["overview"] = {
  well: "Tout va bien.",
  concerns: {
    noBackups: {
      problem: "Il n’y a pas de sauvegardes.",
      remedy: "Définissez BACKUP_TO et BACKUP_EVERY, puis redémarrez le serveur."
    },
    noSchedule: {
      problem: "Les sauvegardes n’ont pas de calendrier.",
      remedy: "Définissez BACKUP_EVERY, puis redémarrez le serveur. En attendant, faites-les sur la page."
    },
    overdue: {
      problem: "Les sauvegardes prévues ne réussissent pas à temps.",
      remedy: "La liste donne l’erreur de chaque tentative."
    },
    backupFailed: (error) => `La dernière sauvegarde a échoué : ${error}.`,
    backupRemedy: "Supprimez la cause, et faites une sauvegarde maintenant.",
    drillOverdue: {
      problem: "Aucun essai prévu n’a restauré une sauvegarde à temps.",
      remedy: "Faites une sauvegarde, et vérifiez sa restauration sur la page."
    },
    drillFailed: (error) => `Le dernier essai de restauration a échoué : ${error}.`,
    drillRemedy: "Faites une sauvegarde, et vérifiez sa restauration sur la page.",
    checks: (names) => `Les dernières vérifications ont trouvé des défauts : ${names}.`,
    checksRemedy: "La page donne un remède pour chaque défaut. Relancez ensuite les vérifications.",
    mails: (count) =>
      `${counted(count, "e-mail", "e-mails")} ${form(count, "n’a pas pu être envoyé", "n’ont pas pu être envoyés")}.`,
    mailsRemedy: "Regardez les codes, et renvoyez les e-mails.",
    noMail: {
      problem: "Les e-mails n’atteignent pas leurs destinataires.",
      remedy: "Définissez SMTP_URL, puis redémarrez le serveur. En attendant, les e-mails sont dans DATA_DIR/outbox."
    },
    jobs: (count) =>
      `${counted(count, "exportation ou importation a échoué", "exportations et importations ont échoué")}.`,
    jobsRemedy: "Regardez les erreurs, et réessayez ce qui peut réussir.",
    disk: (free) => `Il ne reste que ${free} sur le disque.`,
    diskRemedy:
      "Agrandissez le disque, ou effacez des espaces de travail supprimés. Presque plein, il refuse les fichiers.",
    versions: (versions) => `Les nœuds ont plusieurs versions : ${versions}.`,
    versionsRemedy: "Terminez la mise à niveau."
  },
  sizes: "Tailles",
  nodes: "Nœuds",
  filesOf: (count, size) => `${count}, ${size}`,
  database: "Base de données",
  diskFree: "Libre sur le disque",
  lastBackup: "Dernière sauvegarde",
  nextBackup: "Prochaine sauvegarde",
  measured: "Au fil du temps",
  measuredLead: "Tous les nœuds ensemble. La lecture se répète chaque minute.",
  range: "Période",
  ranges: { hour: "Dernière heure", day: "Dernier jour", month: "30 derniers jours", year: "Dernière année" },
  charts: {
    requests: "Requêtes",
    latency: "Durée des requêtes",
    stored: "Stocké",
    waiting: "En attente dans les files",
    overdue: "Retard du plus ancien de chaque file",
    lag: "Délai après les modifications",
    memory: "Mémoire"
  },
  requests: { requests: "Toutes", refused: "Refusées", errors: "Erreurs" },
  latency: { latency_p50: "50 %", latency_p95: "95 %", latency_p99: "99 %" },
  stored: { file_bytes: "Fichiers", text_bytes: "Textes", database_bytes: "Base de données" },
  queues: { mails: "E-mails", transfers: "Exportations et importations", webhooks: "Webhooks", reminders: "Rappels" },
  lag: { search_lag: "Recherche", stream_lag: "Flux" },
  memory: { memory_bytes: "Nœud qui en utilise le plus" }
}
