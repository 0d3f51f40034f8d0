import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("de")

export const transfers: Translation["settings"]["transfers"] = {
  importTitle: "Import",
  imports: "Importe",
  unnamed: "Eine Datei ohne Namen",
  notesOf: (imported, updated, skipped) =>
    [
      `${imported} neu`,
      ...(updated > 0 ? [`${updated} aktualisiert`] : []),
      ...(skipped > 0 ? [`${skipped} übersprungen`] : [])
    ].join(", "),
  noImports: "Es wurde nichts importiert.",
  noFile: "wartet auf die Datei",
  statuses: { queued: "wartet", running: "läuft", done: "fertig", ready: "bereit", failed: "fehlgeschlagen" },
  exportTitle: "Export",
  exportLead: "Eine ZIP-Datei mit den Notizen eines Augenblicks, ohne den Papierkorb.",
  exports: "Exporte",
  scope: "Was",
  scopes: { workspace: "Der ganze Arbeitsbereich", notebook: "Ein Notizbuch mit denen darin" },
  gone: "ein gelöschtes Notizbuch",
  format: "Format",
  formats: { markdown: "Markdown-Dateien", json: "JSON, das ein Import ohne Verlust einliest" },
  formatNames: { markdown: "Markdown", json: "JSON" },
  attachments: "Mit den Dateien der Notizen",
  submit: "Export erstellen",
  noExports: "Es gibt keine Exporte.",
  kept: "Die letzten fünf bleiben, jeder sieben Tage lang.",
  downloadOf: (when) => `Export vom ${when} herunterladen`
}

export const usage: Translation["settings"]["usage"] = {
  lead: (plan, until) => `Tarif ${plan}. Die Zählung der Anfragen beginnt neu am ${until}.`,
  unlimited: (used) => `${used}, ohne Grenze`,
  full: "voll",
  meters: {
    storage: "Texte und Dateien",
    templates: "Vorlagen",
    shares: "Links"
  },
  limits: "Grenzen",
  limit: "Grenze",
  value: "Höchstens",
  limitNames: {
    requests_per_minute: "Anfragen pro Minute, je Sitzung und Schlüssel",
    attachment_bytes: "Größe einer Datei",
    api_keys: "API-Schlüssel eines Nutzers",
    devices: "Geräte eines Nutzers",
    invitations: "Offene Einladungen",
    invitations_per_hour: "Einladungen eines Nutzers pro Stunde",
    invitations_per_day: "Einladungen eines Nutzers pro Tag",
    audit_days: "Tage, für die das Protokoll bleibt"
  },
  noLimit: "keine Grenze",
  requests: "Anfragen",
  requestsLead: (count) => `${count} in diesem Monat, nach Tagen (UTC).`,
  day: "Tag",
  noDays: "Es gibt keine Anfragen."
}

export const audit: Translation["settings"]["audit"] = {
  title: "Einträge",
  lead: "Was die Sicherheit betrifft: Anmeldungen, Schlüssel, Rollen, Links, Exporte. Einträge ändern sich nie.",
  anyone: "Alle",
  server: "der Server",
  from: "Von",
  to: "Bis",
  apply: "Filtern",
  none: "Kein Eintrag passt.",
  program: "Programm",
  undo: "Diese Änderungen rückgängig machen",
  save: "Als Datei speichern",
  saveLead: "Alle Einträge, die zum Filter passen.",
  reading: (count) => `${counted(count, "Eintrag wird", "Einträge werden")} gelesen…`,
  saved: (count) => `${counted(count, "Eintrag ist", "Einträge sind")} gespeichert.`,
  limited: (most) =>
    `Die neuesten ${most} Einträge sind gespeichert. Filtern Sie nach Zeit, um die anderen zu erhalten.`
}
