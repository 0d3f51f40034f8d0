import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form, list } = phrasesIn("de")

export const finding: Translation["finding"] = {
  palette: {
    title: "Finden oder etwas tun",
    placeholder: "Notiz, Notizbuch, Schlagwort oder Befehl finden",
    outlinePlaceholder: "Überschrift finden",
    noHeadings: "Diese Notiz hat keine Überschriften.",
    none: "Nichts passt.",
    recent: "Zuletzt geöffnet",
    loaded: "Beste Treffer",
    server: "In allen Notizen",
    commands: "Befehle",
    headings: "Überschriften",
    offline: "Der Server ist nicht erreichbar. Gefunden wird nur, was geladen ist.",
    count: (count) => counted(count, "Ergebnis", "Ergebnisse"),
    heading: "Überschrift",
    searchFor: (query) => `In allen Texten nach „${query}“ suchen`,
    create: (title) => `Neue Notiz „${title}“`,
    hints: [
      ["↑↓", "bewegen"],
      ["Enter", "öffnen"],
      ["Esc", "schließen"]
    ]
  },
  list: {
    menu: "Reihenfolge und Zeilen der Liste",
    fields: { updated_at: "Zuletzt bearbeitet", created_at: "Erstellt", title: "Titel" },
    relevance: "Beste Treffer",
    directions: { byTime: ["Älteste zuerst", "Neueste zuerst"], byTitle: ["A bis Z", "Z bis A"] },
    filter: "Filtern",
    compact: "Eine Zeile je Notiz",
    select: "Notizen auswählen"
  },
  note: {
    archive: "Ins Archiv verschieben",
    unarchive: "Aus dem Archiv holen",
    duplicate: "Duplizieren",
    trash: "In den Papierkorb verschieben",
    trashed: "Die Notiz ist im Papierkorb.",
    isArchived: "Die Notiz ist im Archiv.",
    outline: "Gliederung",
    template: "Als Vorlage speichern",
    templateSaved: "Die Vorlage ist gespeichert."
  },
  links: "Verlinkt von",
  columns: { name: "Spalten", side: "Breite der Navigation", list: "Breite der Liste" },
  commands: {
    newNote: { title: "Neue Notiz", aliases: "erstellen anlegen schreiben" },
    today: { title: "Notiz von heute", aliases: "täglich tagebuch journal datum daily" },
    property: { title: "Eigenschaft hinzufügen", aliases: "frontmatter metadaten yaml" },
    outline: { title: "Gliederung der Notiz", aliases: "überschriften inhaltsverzeichnis" },
    links: { title: "Links auf die Notiz", aliases: "backlinks verweise erwähnungen rückverweise" },
    askLinks: { title: "Nach dem Umbenennen nach Links fragen", aliases: "titel anpassen" },
    tasks: { title: "Aufgaben", aliases: "todo fällig heute überfällig" },
    search: { title: "In allen Texten suchen", aliases: "finden" },
    settings: { title: "Einstellungen", aliases: "optionen konto profil" },
    server: { title: "Server", aliases: "betreiber verwaltung" },
    exports: { title: "Notizen exportieren", aliases: "herunterladen sicherung einstellungen" },
    imports: { title: "Notizen importieren", aliases: "mitbringen hochladen obsidian logseq" },
    print: { title: "Notiz drucken", aliases: "pdf papier" },
    copyMarkdown: { title: "Als Markdown kopieren", aliases: "zwischenablage quelltext" },
    copyFormatted: { title: "Mit Formatierung kopieren", aliases: "zwischenablage formatiert html mail word" },
    exportNote: { title: "Als Markdown-Datei speichern", aliases: "exportieren herunterladen md" },
    keys: { title: "Tasten", aliases: "tastenkürzel tastatur hilfe" }
  },
  withoutFiles: "Die Datei enthält den Text der Notiz. Die angehängten Dateien enthält ein Export ihres Notizbuchs.",
  filters: {
    label: "Filter der Suche",
    notebook: "Notizbuch",
    tag: "Schlagwort",
    time: "Geändert",
    times: {
      today: "Heute",
      week: "In den letzten 7 Tagen",
      month: "In den letzten 30 Tagen",
      year: "Im letzten Jahr"
    },
    property: "Eigenschaft",
    archive: "Archiv",
    archived: "Nur archivierte",
    notArchived: "Nicht archivierte"
  },
  keys: {
    places: {
      anywhere: "Überall",
      list: "In der Liste der Notizen",
      text: "Im Text einer Notiz"
    },
    single: "Einzelne Tasten wie N tun etwas, solange kein Text den Fokus hat"
  }
}

export const keys: Translation["keys"] = {
  anywhere: [
    ["Ctrl-K", "Notiz, Notizbuch, Schlagwort, Überschrift oder Befehl finden"],
    ["/", "in den Texten aller Notizen suchen"],
    ["?", "diese Tasten zeigen"],
    ["N", "neue Notiz"],
    ["D", "die Notiz von heute"],
    ["O", "Gliederung der offenen Notiz"],
    ["L", "Links auf die offene Notiz"],
    ["T", "Aufgaben"],
    ["Ctrl-E", "lesen oder schreiben; mit markiertem Text: Code"],
    ["Ctrl-S", "jetzt speichern"]
  ],
  list: [
    ["↓, ↑; J, K", "die nächste Notiz, die vorige"],
    ["Space", "die Notiz auswählen oder nicht"],
    ["Shift-↓, Shift-↑", "auch die nächste Notiz auswählen, die vorige"],
    ["Ctrl-A", "alle Notizen der Liste auswählen"],
    ["Escape", "nichts auswählen"]
  ],
  text: [
    [
      "Ctrl-B, Ctrl-I, Ctrl-Shift-X",
      "fett, kursiv, durchgestrichen: die Auswahl oder das Wort am Cursor; noch einmal nimmt es zurück"
    ],
    ["Ctrl-K, mit markiertem Text", "einen Link daraus machen; in einem Link die Adresse markieren"],
    ["Ctrl-Shift-7, -8, -9", "nummerierte Liste, Aufzählung, Aufgaben; noch einmal beendet die Liste"],
    ["Ctrl-Enter", "die Aufgabe oder die markierten abhaken; eine andere Zeile zur Aufgabe machen"],
    ["`/`", "das Menü der Überschriften, Listen, Tabellen und anderen Blöcke"],
    ["Ctrl-Z; Ctrl-Y oder Ctrl-Shift-Z", "das Getippte rückgängig machen; wiederholen"],
    ["Ctrl-F; F3", "im Text suchen; die nächste Stelle"],
    ["`[[`, `[[Titel#`", "den Titel einer Notiz ergänzen, eine Überschrift der Notiz"],
    ["Tab, Shift-Tab in einer Liste", "den Punkt in den vorigen einrücken; ausrücken"],
    [
      "Tab, Shift-Tab in einer Tabelle",
      "nächste Zelle, vorige; richtet die Spalten aus und fügt nach der letzten Zeile eine hinzu"
    ],
    ["Alt-↑, Alt-↓", "die Zeile verschieben"],
    ["Alt-Enter, oder Ctrl-Klick", "den Link am Cursor öffnen"],
    ["Escape, dann Tab", "den Text verlassen"]
  ]
}

const notes = (count: number) => counted(count, "Notiz", "Notizen")
const are = (count: number) => counted(count, "Notiz ist", "Notizen sind")

export const several: Translation["several"] = {
  selected: (count) => `${notes(count)} ausgewählt`,
  progress: (done, all) => `${done} von ${all}…`,
  move: "In ein Notizbuch verschieben…",
  moveTitle: (count) => `${notes(count)} verschieben`,
  moveAction: "Verschieben",
  tag: "Schlagwort hinzufügen…",
  tagTitle: (count) => `${counted(count, "Notiz", "Notizen")} ein Schlagwort geben`,
  tagAction: "Hinzufügen",
  tagName: "Schlagwort",
  clear: "Nichts auswählen",
  archive: "Ins Archiv verschieben",
  unarchive: "Aus dem Archiv holen",
  trash: "In den Papierkorb verschieben",
  restore: "Wiederherstellen",
  notebookDeleted: (name) => `„${name}“ und seine Notizen sind im Papierkorb.`,
  done: {
    move: (count, notebook) => `${are(count)} jetzt in „${notebook}“.`,
    tag: (count, tag) => `${counted(count, "Notiz hat", "Notizen haben")} #${tag} erhalten.`,
    archive: (count) => `${are(count)} im Archiv.`,
    unarchive: (count) => `${are(count)} nicht mehr im Archiv.`,
    trash: (count) => `${are(count)} im Papierkorb.`,
    restore: (count) => `${are(count)} wiederhergestellt.`
  },
  failed: (count, shown) => `${notes(count)} unverändert: ${shown.join("; ")}${count > shown.length ? "; …" : ""}`,
  failure: (title, reason) => `„${title}“: ${reason}`
}

export const tags: Translation["tags"] = {
  dialog: {
    titles: {
      edit: (name) => `#${name}`,
      merge: (name) => `#${name} zusammenführen`,
      delete: (name) => `#${name} löschen`
    },
    done: { merge: (name) => `#${name} ist zusammengeführt.`, delete: (name) => `#${name} ist gelöscht.` },
    actions: { edit: "Speichern", merge: "Zusammenführen", delete: "Löschen" },
    name: "Name des Schlagworts",
    nameHint: "Ohne Leerzeichen, Kommas und #",
    exists: "Ein Schlagwort mit diesem Namen gibt es schon. Führen Sie stattdessen beide zusammen.",
    unknown: "Es gibt kein Schlagwort mit diesem Namen.",
    target: "Schlagwort, das es ersetzt",
    mergeLead: (name) => `Alle Notizen mit #${name} erhalten das andere Schlagwort, und #${name} wird gelöscht.`,
    deleteLead: (count) =>
      count === 0
        ? "Keine Notiz hat dieses Schlagwort."
        : `${counted(count, "Notiz hat", "Notizen haben")} dieses Schlagwort und ${form(count, "verliert", "verlieren")} es. Die Notizen bleiben.`
  },
  all: {
    filter: "Teil des Namens",
    more: "Mehr zeigen",
    none: "Kein Schlagwort passt."
  }
}

export const undo: Translation["undo"] = {
  title: "Diese Änderungen rückgängig machen",
  again: "Das Rückgängigmachen aufheben",
  looking: "Es wird nachgesehen, was sich ändern würde",
  lead: "Noch ist nichts geändert. Das würde geschehen:",
  leadAgain: "Die Änderungen sind schon rückgängig gemacht. Wird das aufgehoben, sind sie wieder da:",
  nothing: "Davon lässt sich nichts rückgängig machen.",
  gone: "Diese Änderungen lassen sich nicht mehr rückgängig machen. Was dafür nötig ist, wird 90 Tage aufbewahrt.",
  running: "Wird rückgängig gemacht",
  mayClose: "Der Server fährt fort, wenn Sie diesen Dialog schließen.",
  done: "Rückgängig gemacht.",
  doneAgain: "Die Änderungen sind wieder da.",
  partly: (kept) =>
    `Rückgängig gemacht. ${counted(kept, "Eintrag bleibt, wie er ist", "Einträge bleiben, wie sie sind")}.`,
  failed: "Der Server konnte nicht alles rückgängig machen. Was er rückgängig gemacht hat, bleibt so.",
  details: "Einzelheiten",
  more: "Mehr zeigen",
  outcomes: {
    kept: (count) => `Bleibt, wie es ist: ${count}`,
    merged: (count) => `Wie vorher, bis auf spätere Änderungen: ${count}`,
    reverted: (count) => `Wie vorher: ${count}`
  },
  reasons: {
    changed_since: "Seitdem geändert",
    deleted_since: "Seitdem gelöscht",
    restored_since: "Seitdem wiederhergestellt",
    not_kept: "Die frühere Fassung ist nicht mehr vorhanden",
    not_empty: "Enthält inzwischen andere Notizen",
    is_file: "Dateien bleiben: Ihre Löschung ließe sich nicht rückgängig machen",
    refused: "Abgelehnt, etwa wegen einer Grenze oder eines vergebenen Namens"
  },
  fields: {
    body: "Text",
    title: "Titel",
    name: "Name",
    tags: "Schlagwörter",
    pinned: "Anheftung",
    notebook_id: "Notizbuch"
  },
  because: (reason, members) => (members.length === 0 ? reason : `${reason}: ${list(members)}`),
  types: {
    note: "Notiz",
    notebook: "Notizbuch",
    tag: "Schlagwort",
    template: "Vorlage",
    attachment: "Datei",
    comment: "Kommentar",
    reminder: "Erinnerung"
  }
}
