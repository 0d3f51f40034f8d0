import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("de")

export const account: Translation["main"]["account"] = {
  signIn: "Anmelden",
  by: (provider) => `Weiter mit ${provider}`,
  byPasskey: "Mit einem Passkey anmelden",
  signInLead: "Ihre Notizen, auf Ihrem Server.",
  signUp: "Konto erstellen",
  signUpLeads: {
    open: "Auf diesem Server kann jeder ein Konto erstellen.",
    invite: "Verwenden Sie die Adresse, an die die Einladung ging."
  },
  forgot: "Passwort vergessen?",
  forgotLead: "Falls es zu der Adresse ein Konto gibt, geht eine Mail mit einem Link an sie.",
  sendLink: "Link senden",
  linkSent: "Sehen Sie in Ihren Mails nach. Der Link gilt eine Stunde.",
  email: "E-Mail-Adresse",
  password: "Passwort",
  passwordHint: "Mindestens 10 Zeichen",
  name: "Name",
  invitation: "Einladung",
  invitationHint: "Der Teil des Einladungslinks nach token=",
  firstStart: "Erster Start? Öffnen Sie den Link, den der Server in seinem Terminal ausgegeben hat.",
  again: "Ihre Sitzung ist beendet",
  againLead: "Ihre Sitzung ist beendet. Was Sie schreiben, bleibt bis zur nächsten Anmeldung in diesem Browser.",
  add: "Konto hinzufügen",
  signOut: "Abmelden",
  signOutConfirm:
    "Ein Teil des Textes ist nicht auf dem Server gespeichert. Er bleibt bis zur nächsten Anmeldung in diesem Browser. Abmelden?",
  sendingConfirm: "Eine Datei wird noch gesendet und kommt dann nicht an. Abmelden?",
  signedOutHere:
    "Sie sind auf diesem Gerät abgemeldet. Der Server war nicht erreichbar: Die Sitzung steht noch in seiner Liste.",
  signedOutElsewhere: "Sie haben sich in einem anderen Tab abgemeldet.",
  menu: "Konto und Arbeitsbereich"
}

export const templates: Translation["templates"] = {
  title: "Vorlagen",
  none: "Noch keine Vorlagen. Auch eine Notiz lässt sich als Vorlage speichern.",
  create: "Neue Vorlage",
  edit: "Bearbeiten",
  remove: "Löschen",
  back: "Zurück",
  name: "Name der Vorlage",
  body: "Text der Vorlage",
  deleted: (name) => `„${name}“ ist gelöscht.`,
  changed: "Jemand anderes hat diese Vorlage geändert. Noch einmal speichern ersetzt den anderen Text durch Ihren.",
  gone: "Die Vorlage wurde gelöscht. Noch einmal speichern erstellt sie mit Ihrem Text.",
  placeholders: "Platzhalter",
  hints: [
    ["{{title}}", "der Titel der Notiz"],
    ["{{date}} {{time}} {{datetime}}", "jetzt, in Ihrer Zeitzone"],
    ["{{year}} {{month}} {{day}} {{weekday}}", "Teile des Datums"],
    ["{{date:DD.MM.YYYY}}", "in einem Format von Day.js"],
    ["{{date+1d}} {{date-2w}}", "verschoben um h, d, w, m oder y"],
    ["{{user.name}} {{user.email}}", "Sie"],
    ["{{notebook.name}} {{workspace.name}}", "wo die Notiz ist"],
    ["{{uuid}}", "jedes Mal eine neue Kennung"]
  ]
}

export const imports: Translation["imports"] = {
  title: "Notizen importieren",
  file: "Datei",
  drop: "Datei wählen oder hier ablegen",
  source: "Aus",
  sources: {
    auto: "Beliebiges Programm: am Inhalt erkannt",
    markdown: "Markdown oder ZIP (Obsidian, Logseq, Bear)",
    enex: "Evernote (.enex)",
    notion: "Notion (ZIP)",
    json: "Sheaf (JSON-Export)"
  },
  notebook: "In",
  ownNotebooks: "Neue Notizbücher nach Ordnern",
  existing: "Notizen aus früheren Importen",
  existingWays: {
    skip: "Lassen; geänderte hinzufügen",
    update: "Änderungen hineinschreiben",
    duplicate: "Alle noch einmal hinzufügen"
  },
  options: "Optionen",
  start: "Importieren",
  tooLarge: (name) => `${name} ist größer als 2 GB, die Grenze eines Imports. Bitte aufteilen.`,
  sending: (name) => `${name} wird gesendet`,
  keepOpen: "Die Seite offen lassen, bis die Datei gesendet ist.",
  unsent: "Der Server ist nicht erreichbar, und die Datei wurde nicht gesendet.",
  waiting: "Die Datei ist angekommen. Der Import wartet, bis er an der Reihe ist.",
  running: "Import läuft",
  soFar: (count, total) =>
    total !== null
      ? `${count} von ${counted(total, "Notiz", "Notizen")}`
      : count === 0
        ? "Datei wird gelesen"
        : `Bisher ${counted(count, "Notiz", "Notizen")}`,
  mayClose: "Der Server arbeitet weiter, wenn Sie diesen Dialog oder die Seite schließen.",
  away: "Der Server ist nicht erreichbar. Der Import läuft dort weiter.",
  done: (count, remarks = 0) =>
    [
      `${counted(count, "Notiz", "Notizen")} importiert.`,
      ...(remarks === 0 ? [] : [counted(remarks, "Hinweis", "Hinweise")])
    ].join(" "),
  imported: (count) => `${counted(count, "Notiz", "Notizen")} vorher importiert.`,
  updated: (count) => `${counted(count, "Notiz", "Notizen")} aktualisiert.`,
  skipped: (count) =>
    `${counted(count, "Notiz ist", "Notizen sind")} schon hier und ${form(count, "wurde", "wurden")} übersprungen.`,
  failed: "Der Import ist fehlgeschlagen.",
  remarks: "Hinweise",
  moreProblems: (count) => `Es gibt ${count} weitere.`,
  show: "Zeigen",
  other: "Weitere Datei importieren",
  undo: "Diesen Import rückgängig machen",
  preview: "Vorschau",
  foreseen: "Vorschau des Imports:"
}

export const administration: Translation["administration"] = {
  words: {
    about: "Betrifft",
    action: "Aktion",
    actionOf: (action, when) => `${action}, ${when}`,
    actions: "Aktionen",
    address: "Adresse",
    begun: "Begonnen",
    created: "Erstellt",
    delete: "Löschen…",
    deleteWorkspace: "Arbeitsbereich löschen",
    details: "Einzelheiten",
    download: "Herunterladen",
    due: (when) => `fällig ${when}`,
    email: "E-Mail-Adresse",
    file: "Datei",
    files: "Dateien",
    kept: "Alles Aufbewahrte, mit Uploads, Importen, Exporten und gelöschten Dateien",
    lastUsed: "Zuletzt genutzt",
    linkFor: (email) => `Link für ${email}`,
    makeKey: "Schlüssel erstellen",
    members: "Mitglieder",
    name: "Name",
    never: "nie",
    notes: "Notizen",
    of: (used, limit) => `${used} von ${limit}`,
    open: "Öffnen",
    openOf: (name) => `${name} öffnen`,
    password: "Passwort",
    plan: "Tarif",
    plans: { free: "Free", plus: "Plus", team: "Team" },
    refresh: "Aktualisieren",
    result: "Ergebnis",
    saved: "Gespeichert.",
    seats: "Plätze",
    secondFactors: "Zweite Faktoren",
    sendAgain: "Erneut senden",
    sendAgainTo: (email) => `Erneut an ${email} senden`,
    sessions: "Sitzungen",
    sessionsEnded: (count) => `${counted(count, "Sitzung", "Sitzungen")} beendet.`,
    show: "Zeigen",
    size: "Größe",
    state: "Zustand",
    stored: "Gespeichert",
    when: "Wann",
    workspace: "Arbeitsbereich"
  },
  back: "Zurück zu den Notizen",
  skip: "Zur Seite springen",
  noPage: "Diese Seite gibt es nicht.",
  done: "Fertig",
  copy: "Kopieren",
  showDetails: "Details",
  hideDetails: "Ausblenden",
  loadMore: "Mehr laden",
  password: {
    title: "Bestätigen Sie, dass Sie es sind",
    lead: "Ihre Anmeldung liegt schon länger zurück.",
    one: "Eines davon genügt.",
    code: "Code der Authenticator-App oder ein Wiederherstellungscode",
    recoveryCode: "Wiederherstellungscode",
    passkey: "Passkey verwenden",
    confirm: "Weiter",
    by: (name) => `Mit ${name} bestätigen`,
    after: "Melden Sie sich auf der anderen Seite an und machen Sie dann hier weiter.",
    problems: { invalid_credentials: "Das Passwort ist falsch." }
  }
}
