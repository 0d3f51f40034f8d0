import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { overview } from "./GermanOverview.ts"

const { counted } = phrasesIn("de")

export const server: Translation["server"] = {
  navigation: "Server",
  notAllowed: "Diese Seite ist nur für Betreiber des Servers.",
  pages: {
    overview: "Übersicht",
    users: "Nutzer",
    workspaces: "Arbeitsbereiche",
    jobs: "Aufträge",
    backups: "Sicherungen",
    mails: "Mails",
    checks: "Prüfungen",
    system: "System"
  },
  no: "nein",
  search: "Suchen",
  version: "Version",
  yes: "ja",

  overview,

  users: {
    list: "Alle Nutzer",
    words: "Adresse oder Name",
    suspendedOnly: "Gesperrte Nutzer",
    operatorsOnly: "Betreiber",
    none: "Kein Nutzer passt.",
    usual: "aktiv",
    suspended: "gesperrt",
    operator: "Betreiber",
    active: "Zuletzt aktiv",
    confirmed: "Adresse bestätigt",
    personal: "der persönliche",
    create: "Neuer Nutzer",
    createLead: "Die Adresse gilt als bestätigt. Der Nutzer erhält einen persönlichen Arbeitsbereich.",
    nameOptional: "Name (optional)",
    passwordHint: "Mindestens 10 Zeichen. Der Nutzer kann es ändern.",
    submit: "Nutzer erstellen",
    names: "Adresse und Name",
    namesLead: "Eine andere Adresse gilt als bestätigt.",
    problems: {
      already_exists: "Ein anderer Nutzer hat diese Adresse.",
      not_found: "Diesen Nutzer gibt es nicht."
    },
    suspend: "Sperren…",
    resume: "Sperre aufheben",
    makeOperator: "Zum Betreiber machen…",
    endOperator: "Betreiberrecht entziehen",
    makeLink: "Link für ein neues Passwort",
    linkHint: (until) =>
      `Er wird nur jetzt gezeigt und geht auch als Mail an den Nutzer. Er gilt einmal, bis ${until}.`,
    endSessions: "Alle Sitzungen beenden…",
    resetFactors: "Zweite Faktoren entfernen…",
    factorsReset: (count) => `${counted(count, "Faktor", "Faktoren")} entfernt.`,
    deleted: (email) => `${email} ist gelöscht.`,
    titles: {
      suspend: "Nutzer sperren",
      makeOperator: "Zum Betreiber machen",
      endSessions: "Alle Sitzungen beenden",
      resetFactors: "Zweite Faktoren entfernen",
      delete: "Nutzer löschen"
    },
    leads: {
      suspend: (email) =>
        `Alle Sitzungen von ${email} enden sofort, Anmeldungen und API-Schlüssel werden abgewiesen. Nichts wird gelöscht.`,
      makeOperator: (email) => `${email} darf dann auf den Seiten des Servers alles tun, wie Sie.`,
      endSessions: (email) => `${email} wird auf allen Geräten abgemeldet. API-Schlüssel bleiben.`,
      resetFactors: (email) =>
        `${email} meldet sich ohne zweiten Faktor an, bis ein neuer hinzukommt, und erhält eine Mail. Tun Sie das nur, wenn die Bitte sicher von dieser Person kommt.`,
      delete: (email) =>
        `Das Konto von ${email} wird gelöscht und lässt sich nicht wiederherstellen. Arbeitsbereiche ohne andere Mitglieder werden mit gelöscht; sie lassen sich 30 Tage lang wiederherstellen.`
    }
  },

  workspaces: {
    list: "Alle Arbeitsbereiche",
    lead: "Was sie speichern, ohne ihren Inhalt.",
    words: "Name oder Kurzname",
    presentOnly: "Nicht gelöschte",
    deletedOnly: "Gelöschte Arbeitsbereiche",
    none: "Kein Arbeitsbereich passt.",
    slug: "Kurzname",
    textBytes: "Texte",
    present: "in Gebrauch",
    personal: "persönlich",
    deleted: "gelöscht",
    erasing: "wird endgültig gelöscht",
    deletedAt: "Gelöscht",
    problems: { not_found: "Diesen Arbeitsbereich gibt es nicht: Vielleicht wurde er endgültig gelöscht." },
    planTitle: "Tarif und Plätze",
    search: "Suchindex",
    searchLead:
      "Falls Suchen nicht finden, was da ist. Bis der Index vollständig ist, finden Suchen nur einen Teil der Notizen.",
    reindex: "Index neu aufbauen",
    reindexed: "Die nächste Suche baut den Index neu auf.",
    end: "Löschen",
    endLead:
      "Ein gelöschter Arbeitsbereich lässt sich 30 Tage lang wiederherstellen, ein endgültig gelöschter nicht mehr.",
    deleteConfirm: (name) =>
      `Alle Mitglieder von „${name}“ verlieren sofort den Zugriff. Er lässt sich 30 Tage lang wiederherstellen.`,
    erase: "Endgültig löschen…",
    eraseTitle: "Arbeitsbereich endgültig löschen",
    eraseConfirm: (slug) =>
      `Alles darin wird innerhalb von zwei Stunden gelöscht und lässt sich nicht wiederherstellen. Zur Bestätigung ${slug} eingeben.`,
    erasingLead: "Der Arbeitsbereich wird endgültig gelöscht. Er lässt sich nicht wiederherstellen.",
    personalLead: "Dies ist der persönliche Arbeitsbereich eines Nutzers. Er endet mit dem Nutzer.",
    restore: "Arbeitsbereich wiederherstellen",
    restoreLead: "Seine Mitglieder haben wieder Zugriff, mit allen Notizen.",
    restored: "Der Arbeitsbereich ist wiederhergestellt.",
    owner: "Adresse eines Eigentümers (optional)",
    ownerHint:
      "Ein Nutzer dieses Servers, der Eigentümer wird. Nötig, falls kein Eigentümer übrig ist; sonst einen Tag nach dem Löschen möglich."
  },

  jobs: {
    title: "Exporte und Importe",
    lead: "Die aller Arbeitsbereiche, solange sie aufbewahrt werden.",
    all: "Alle Zustände",
    none: "Solche Exporte und Importe gibt es nicht.",
    kind: "Was",
    kinds: { export: "Export", import: "Import" },
    states: {
      awaiting_file: "wartet auf die Datei",
      queued: "wartet",
      running: "läuft",
      retrying: "wird wiederholt",
      failed: "fehlgeschlagen",
      done: "fertig"
    },
    nameOf: (kind, workspace) => `${kind} von ${workspace}`,
    next: (when) => `neuer Versuch ${when}`,
    retryOf: (name) => `Erneut versuchen: ${name}`,
    cancel: "Beenden…",
    cancelOf: (name) => `Beenden: ${name}`,
    cancelConfirm: "Der Auftrag endet als fehlgeschlagen. Notizen, die ein Import erstellt hat, bleiben.",
    cancelButton: "Beenden"
  },

  backups: {
    plan: "Plan",
    planLead: "Bestimmt durch BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP und BACKUP_RECIPIENT.",
    noPlan: "Es gibt keine Sicherungen. BACKUP_TO und BACKUP_EVERY setzen und den Server neu starten.",
    to: "Ort",
    every: "Alle",
    noSchedule: "kein Zeitplan",
    keep: "Aufbewahrt",
    encrypted: "Verschlüsselt",
    last: "Zuletzt gelungen",
    next: "Nächste",
    begin: "Jetzt sichern",
    isRunning: "Eine Sicherung läuft…",
    lead: "Die aufbewahrten, und die letzten fehlgeschlagenen Versuche.",
    none: "Es gibt keine Sicherungen.",
    kind: "Anlass",
    kinds: { scheduled: "Zeitplan", manual: "von Hand" },
    running: "läuft",
    failed: "fehlgeschlagen",
    failedTimes: (count) => `${count}-mal fehlgeschlagen`,
    made: "erstellt",
    downloadOf: (when) => `Sicherung vom ${when} herunterladen`
  },

  drills: {
    title: "Proben der Wiederherstellung",
    lead: "Eine Probe stellt die neueste Sicherung in einer Probedatenbank wieder her, vergleicht beide und löscht die Datenbank. Bestimmt durch BACKUP_VERIFY_EVERY.",
    last: "Letzte Probe der Wiederherstellung",
    backup: "Mit der Sicherung",
    next: "Nächste Probe",
    succeeded: "ohne Unterschied wiederhergestellt",
    begin: "Wiederherstellung jetzt prüfen",
    isRunning: "Eine Wiederherstellung wird geprüft…"
  },

  mails: {
    title: "Wartende und fehlgeschlagene Mails",
    lead: "Die wartenden, und die der letzten 7 Tage, die nicht gesendet werden konnten. Ihre Texte werden nicht gezeigt.",
    none: "Keine Mail wartet, und keine ist fehlgeschlagen.",
    recipient: "Empfänger",
    attempts: "Versuche",
    states: { waiting: "wartet", retrying: "wird wiederholt", failed: "fehlgeschlagen" },
    resent: (recipient) => `Die Mail an ${recipient} wird erneut gesendet.`,
    problems: { not_found: "Die Mail wurde inzwischen gesendet." },
    test: "Testmail",
    testLead: "Sie wird sofort gesendet und zeigt die Antwort des Mailservers.",
    testTo: "An",
    sendTest: "Testmail senden",
    tested: (recipient) => `Der Mailserver hat die Mail an ${recipient} angenommen.`,
    testFailed: (error) => `Die Mail wurde nicht gesendet: ${error}.`,
    testKept: "Es gibt keinen Mailserver: Die Mail liegt in DATA_DIR/outbox. SMTP_URL setzen."
  },

  checks: {
    begin: "Server prüfen",
    lead: "Die Prüfungen lesen und ändern nichts. Eine gründliche liest die Bytes aller Dateien, was lange dauern kann.",
    quick: "Schnelle Prüfung",
    thorough: "Gründliche Prüfung",
    last: "Letzte Prüfung",
    none: "Der Server wurde noch nicht geprüft.",
    earlier: "Frühere Prüfungen",
    states: { running: "läuft", ended: "beendet", interrupted: "unterbrochen" },
    faulty: (count) => (count === 0 ? "keine Fehler" : `${counted(count, "Prüfung", "Prüfungen")} mit Fehlern`),
    resultsOf: (when) => `Ergebnisse vom ${when}`,
    noResults: "Es gibt noch keine Ergebnisse.",
    check: "Prüfung",
    found: "Gefunden",
    statuses: { ok: "in Ordnung", faulty: "fehlerhaft", repaired: "repariert", skipped: "übersprungen" },
    more: "Es gibt weitere Fehler.",
    openWorkspace: "Arbeitsbereich öffnen"
  },

  system: {
    releaseNotes: "Änderungen nach Versionen",
    noNodes: "In der letzten Minute hat sich kein Knoten gemeldet.",
    host: "Rechner",
    listens: "Lauscht auf",
    workers: "Prozesse",
    memory: "Speicher",
    started: "Gestartet",
    search: "Suchindexe",
    searchLead: "Die des Knotens, der geantwortet hat.",
    indexes: "Im Speicher",
    settings: "Einstellungen",
    settingsLead:
      "Umgebungsvariablen des Knotens, der geantwortet hat. Geheimnisse sind verborgen. Eine Änderung braucht einen Neustart.",
    noSettings: "Dieser Server wurde ohne Umgebungsvariablen gestartet.",
    value: "Wert",
    unset: "nicht gesetzt",
    source: "Aus",
    sources: { environment: "Umgebung", default: "Voreinstellung" }
  },

  audit: {
    title: "Was Betreiber getan haben",
    lead: "In der Konsole, mit der API und mit Befehlen. Einträge ändern sich nie.",
    actor: "Betreiber",
    command: "Befehlszeile",
    none: "Betreiber haben noch nichts getan."
  }
}
