import type { Translation } from "../Translation.ts"

export const icons: Translation["icons"] = {
  archive: "Archiv",
  bell: "Glocke",
  book: "Buch",
  bookmark: "Lesezeichen",
  box: "Schachtel",
  briefcase: "Aktentasche",
  bug: "Käfer",
  calendar: "Kalender",
  camera: "Kamera",
  cart: "Einkaufswagen",
  chart: "Diagramm",
  chat: "Gespräch",
  check: "Haken",
  clock: "Uhr",
  cloud: "Wolke",
  code: "Quelltext",
  coffee: "Kaffee",
  compass: "Kompass",
  cup: "Tasse",
  database: "Datenbank",
  document: "Dokument",
  earth: "Erde",
  film: "Film",
  flag: "Flagge",
  flask: "Kolben",
  folder: "Ordner",
  game: "Spiel",
  gear: "Zahnrad",
  gift: "Geschenk",
  graduation: "Abschluss",
  heart: "Herz",
  home: "Haus",
  inbox: "Eingang",
  key: "Schlüssel",
  lamp: "Lampe",
  leaf: "Blatt",
  lightbulb: "Glühbirne",
  link: "Link",
  list: "Liste",
  lock: "Schloss",
  mail: "Brief",
  map: "Karte",
  megaphone: "Megafon",
  moon: "Mond",
  music: "Musik",
  notebook: "Notizbuch",
  paint: "Farbe",
  paperclip: "Büroklammer",
  pen: "Stift",
  people: "Menschen",
  phone: "Telefon",
  photo: "Foto",
  pin: "Stecknadel",
  plane: "Flugzeug",
  puzzle: "Puzzle",
  rocket: "Rakete",
  shield: "Schild",
  star: "Stern",
  sun: "Sonne",
  tag: "Schlagwort",
  target: "Ziel",
  tools: "Werkzeuge",
  tree: "Baum",
  trophy: "Pokal",
  umbrella: "Regenschirm",
  user: "Person",
  wallet: "Geldbörse",
  wrench: "Schraubenschlüssel"
}

export const editor: Translation["editor"] = {
  Find: "Suchen",
  Replace: "Ersetzen",
  next: "weiter",
  previous: "zurück",
  all: "alle",
  "match case": "Groß-/Kleinschreibung",
  regexp: "Regulärer Ausdruck",
  "by word": "Ganze Wörter",
  replace: "ersetzen",
  "replace all": "alle ersetzen",
  close: "schließen",
  "current match": "aktueller Treffer",
  "on line": "in Zeile",
  "replaced match on line $": "Treffer in Zeile $ ersetzt",
  "replaced $ matches": "$ Treffer ersetzt",
  "Control character": "Steuerzeichen",
  "Selection deleted": "Auswahl gelöscht",
  Completions: "Vorschläge"
}

export const looks: Translation["looks"] = {
  notebookName: "Name des Notizbuchs",
  topLevel: "Oberste Ebene",
  notebookDialogs: { create: "Neues Notizbuch", edit: "Notizbuch bearbeiten", move: "Verschieben nach…" },
  colors: {
    label: "Farbe",
    none: "Keine Farbe",
    other: "Andere Farbe",
    names: {
      red: "Rot",
      orange: "Orange",
      yellow: "Gelb",
      green: "Grün",
      teal: "Türkis",
      blue: "Blau",
      violet: "Violett",
      pink: "Rosa",
      brown: "Braun",
      grey: "Grau"
    }
  },
  icons: { label: "Symbol", none: "keines" }
}

export const writing: Translation["writing"] = {
  formatting: {
    name: "Formatierung",
    show: "Formatierungsleiste zeigen",
    hide: "Formatierungsleiste ausblenden",
    heading: "Überschrift",
    bold: "Fett",
    italic: "Kursiv",
    struck: "Durchgestrichen",
    code: "Quelltext",
    link: "Verweis",
    bullets: "Aufzählung",
    numbers: "Nummerierte Liste",
    tasks: "Aufgaben",
    indent: "Einrücken (Tab)",
    outdent: "Ausrücken (Shift-Tab)"
  },
  blocks: {
    heading: (level) => `Überschrift ${level}`,
    bullets: "Aufzählung",
    numbers: "Nummerierte Liste",
    task: "Aufgabe",
    table: "Tabelle",
    columns: ["Spalte", "Spalte"],
    callout: "Hinweis",
    calloutTitle: "Titel",
    code: "Codeblock",
    date: "Heutiges Datum",
    link: "Link zu einer Notiz",
    file: "Bild oder Datei",
    template: (name) => `Vorlage: ${name}`
  },
  newNote: (title) => `Neue Notiz „${title}“`,
  follow: (key) => `${key}-Klick oder Alt-Enter öffnet den Link`,
  imageWidth: "Breite des Bildes",
  ticked: "Erledigt",
  unticked: "Zu erledigen"
}

export const charts: Translation["charts"] = {
  table: "Als Tabelle zeigen",
  time: "Zeit",
  none: "–"
}

export const appearance: Translation["appearance"] = {
  title: "Darstellung",
  lead: "Diese Einstellungen gelten auf diesem Gerät.",
  command: (label, value) => `${label}: ${value}`,
  theme: {
    label: "Design",
    values: {
      system: ["Wie das System", "farben thema automatisch"],
      light: ["Hell", "farben thema tag"],
      dark: ["Dunkel", "farben thema nacht"]
    }
  },
  size: {
    label: "Textgröße",
    values: {
      normal: ["Normal", "schrift buchstaben"],
      small: ["Klein", "schrift buchstaben kleiner"],
      large: ["Groß", "schrift buchstaben größer zoom"],
      larger: ["Größer", "schrift buchstaben größer zoom"]
    }
  },
  width: {
    label: "Textbreite",
    values: { normal: ["Normal", "spalte zeilen schmal"], wide: ["Breit", "spalte zeilen"] }
  }
}
