import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import { problems } from "../../../../../services/languages/GermanProblems.ts"
import type { Translation } from "../Translation.ts"
import { account } from "./GermanAccounts.ts"

const { counted, list } = phrasesIn("de")

export const main: Translation["main"] = {
  name: "Sheaf",
  close: "Schließen",
  save: "Speichern",
  undo: "Rückgängig",
  retry: "Erneut versuchen",
  more: "Mehr",
  cancel: "Abbrechen",
  copied: "Kopiert.",
  notCopied: "Der Browser erlaubt Sheaf das Kopieren nicht. Bitte den Text markieren und selbst kopieren.",
  settings: "Einstellungen",
  connect: "App verbinden",
  server: "Server",
  offline: "Der Server ist nicht erreichbar. Ihr Text bleibt auf diesem Gerät erhalten.",
  notFound: "Diese Notiz ist nicht hier. Vielleicht wurde sie gelöscht oder gehört zu einem anderen Arbeitsbereich.",
  unexpected: "Etwas Unerwartetes ist passiert. Ihr Text bleibt auf diesem Gerät erhalten.",
  untitled: "Ohne Titel",
  noteName: "Notiz",
  notebook: "Notizbuch",

  problems: {
    ...problems,
    no_response: "Der Server ist nicht erreichbar.",
    unexpected_response: "Der Server hat unerwartet geantwortet."
  },

  account,

  lists: {
    all: "Alle Notizen",
    tasks: "Aufgaben",
    archive: "Archiv",
    trash: "Papierkorb",
    search: "Suche"
  },
  navigation: "Notizbücher und Schlagwörter",
  openNavigation: "Navigation öffnen",
  notebooks: "Notizbücher",
  tags: "Schlagwörter",
  newNotebook: "Neues Notizbuch",
  editNotebook: "Bearbeiten…",
  deleteNotebook: "Löschen",
  moveNotebook: "Verschieben nach…",
  notebookTitle: (name, own, inside) =>
    own === inside ? `${name}: ${own}` : `${name}: ${own}, mit inneren Notizbüchern ${inside}`,
  newSubnotebook: "Neues Notizbuch darin",
  expand: (name) => `Notizbücher in ${name} zeigen`,

  tagMenu: { edit: "Name und Farbe…", merge: "Zusammenführen mit…", delete: "Löschen…" },
  allTags: {
    title: "Alle Schlagwörter",
    limited: (most) => `Die ${most} Schlagwörter mit den meisten Notizen werden gezeigt.`
  },

  skip: "Zur Liste der Notizen springen",
  search: "Notizen suchen",
  palette: (key) => `Finden oder etwas tun (${key})`,
  list: {
    pick: (title) => `${title} auswählen`
  },
  results: (count) => counted(count, "Notiz", "Notizen"),
  empty: {
    all: "Noch keine Notizen. Schreiben Sie die erste.",
    archive: "Hier liegen archivierte Notizen.",
    trash: "Der Papierkorb ist leer. Notizen bleiben hier 30 Tage.",
    notebook: "Dieses Notizbuch ist leer.",
    tag: "Keine Notiz hat dieses Schlagwort.",
    search: "Keine Notiz passt."
  },
  noSelection: "Beginnen Sie hier:",
  writeNote: "Notiz schreiben",
  keysHint: (find, write) =>
    `${find} findet Notizen und Befehle, ${write} wechselt zwischen Lesen und Schreiben, ? zeigt die Tasten. [[ verlinkt eine andere Notiz.`,
  newNote: "Neue Notiz",
  fromTemplate: "Neue Notiz aus einer Vorlage",

  importNotes: "Notizen importieren…",
  manageTemplates: "Vorlagen verwalten…",
  unresolved: (names) => `Die Notiz hat Platzhalter ohne Wert: ${list(names)}`,
  note: {
    title: "Titel",
    body: "Text der Notiz",
    read: "Lesen",
    write: "Schreiben",
    back: "Zurück zur Liste",
    pin: "Anheften",
    unpin: "Lösen",
    removed: "Diese Notiz wurde gelöscht oder in den Papierkorb verschoben.",
    move: "Notizbuch",
    tags: "Schlagwörter",
    addTag: "Schlagwort hinzufügen",
    removeTag: (name) => `${name} entfernen`,
    words: (count) => counted(count, "Wort", "Wörter"),
    history: "Verlauf",
    activity: "Was geschehen ist",
    share: "Teilen",
    reminders: "Erinnerungen",
    comments: "Kommentare",
    attach: "Datei anhängen"
  },

  saving: {
    saved: "Gespeichert",
    saving: "Speichert…",
    typing: "Noch nicht gespeichert",
    offline: "Offline: auf diesem Gerät erhalten",
    conflict: "Braucht Ihre Entscheidung",
    refused: "Nicht gespeichert",
    unstored: "Dieser Browser kann den Text nicht aufbewahren. Bitte die Seite nicht schließen.",
    merged: "Mit einer anderen Änderung zusammengeführt",
    compare: "Vergleichen"
  },
  gone: "Die Notiz wurde während des Schreibens gelöscht. Ihr Text bleibt hier erhalten.",
  saveAsNew: "Als neue Notiz speichern",
  discard: "Meinen Text verwerfen",
  discardConfirm: "Den nicht gespeicherten Text verwerfen? Das lässt sich nicht rückgängig machen.",

  waiting: {
    count: (count) => counted(count, "Text wartet", "Texte warten"),
    show: "Zeigen",
    sent: "Der Text wurde inzwischen gespeichert."
  },

  noWorkspace: "Sie sind kein Mitglied dieses Arbeitsbereichs mehr, oder er wurde gelöscht.",
  openOwnWorkspace: "Eigenen Arbeitsbereich öffnen",
  editorOffline: "Der Editor kann ohne den Server nicht geladen werden. Ihr Text bleibt auf diesem Gerät erhalten.",
  restored: (when) =>
    `Der Server wurde aus einer Sicherung${when === undefined ? "" : ` vom ${when}`} wiederhergestellt. Spätere Änderungen fehlen, falls kein Gerät sie noch einmal sendet. Ihr nicht gespeicherter Text bleibt erhalten.`,
  newVersionOfServer: "Der Server wurde aktualisiert. Bitte die Seite neu laden; Ihr Text bleibt erhalten.",
  reload: "Neu laden"
}
