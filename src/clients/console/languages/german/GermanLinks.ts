import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("de")

export const links: Translation["links"] = {
  candidates: {
    title: (target) => `„${target}“ kann mehrere Notizen meinen`,
    lead: "Wählen Sie die Notiz, die geöffnet wird."
  },
  preview: {
    missing: "Keine Notiz hat diesen Namen. Ein Klick legt sie an.",
    deleted: "Diese Notiz ist nicht hier.",
    ambiguous: "Mehrere Notizen haben diesen Namen. Ein Klick bietet sie an.",
    empty: "Die Notiz hat keinen Text.",
    follow: (key) => `${key}-Klick öffnet sie.`
  },
  backlinks: {
    count: (links, notes) => `${counted(links, "Link", "Links")} in ${counted(notes, "Notiz", "Notizen")}`,
    atLeast: (count) => `${count} und weitere`,
    none: "Keine Notiz verlinkt diese.",
    offline: "Nur der Server kennt die Links, und er ist nicht erreichbar.",
    more: "Mehr zeigen",
    broken: "Links dieser Notiz auf keine oder mehrere Notizen",
    missing: "Keine Notiz hat diesen Namen: anlegen",
    ambiguous: "Mehrere Notizen haben diesen Namen: eine wählen",
    deleted: "Die Notiz mit dieser Kennung ist nicht hier",
    mentions: "Erwähnungen ohne Link",
    link: "Verlinken",
    linkAll: "Alle verlinken",
    changed: "Notizen, die sich inzwischen geändert haben, bleiben, wie sie sind."
  },
  renamed: {
    ask: (notes, title) =>
      `${counted(notes, "Notiz verlinkt", "Notizen verlinken")} „${title}“ mit dem früheren Titel oder Pfad.`,
    always: "Immer so",
    update: "Links anpassen",
    keep: "Lassen",
    updated: (notes) => `Links in ${counted(notes, "Notiz", "Notizen")} sind angepasst.`
  }
}

export const tasks: Translation["tasks"] = {
  label: "Welche Aufgaben",
  views: { today: "Heute", overdue: "Überfällig", upcoming: "Demnächst", open: "Alle offenen", notes: "Nach Notiz" },
  allNotebooks: "Alle Notizbücher",
  empty: {
    today: "Heute ist nichts fällig oder geplant.",
    overdue: "Nichts ist überfällig.",
    upcoming: "Nach heute ist nichts fällig oder geplant.",
    open: "Keine offenen Aufgaben. Eine Zeile wie „- [ ] Milch kaufen“ in einer Notiz ist eine Aufgabe.",
    notes: "Keine offenen Aufgaben. Eine Zeile wie „- [ ] Milch kaufen“ in einer Notiz ist eine Aufgabe."
  },
  due: (text) => `Fällig: ${text}`,
  dueOn: (date) => `fällig ${date}`,
  planned: (date) => `geplant ${date}`,
  dates: { today: "Heute", tomorrow: "Morgen", week: "In einer Woche", other: "Anderer Tag…", none: "Ohne Datum" },
  day: "Fällig am",
  priority: (text) => `Priorität: ${text}`,
  priorities: {
    highest: "höchste Priorität",
    high: "hohe Priorität",
    medium: "mittlere Priorität",
    low: "niedrige Priorität",
    lowest: "niedrigste Priorität"
  },
  noPriority: "ohne Priorität",
  moved: "Diese Aufgabe hat sich geändert. Die Liste zeigt sie, wie sie jetzt ist.",
  more: "Mehr zeigen"
}

export const properties: Translation["properties"] = {
  title: "Eigenschaften",
  add: "Eigenschaft hinzufügen",
  name: "Name der Eigenschaft",
  kind: "Art",
  kinds: { text: "Text", number: "Zahl", date: "Datum", boolean: "Kästchen", list: "Liste" },
  addItem: "Eintrag hinzufügen",
  source: "Quelltext zeigen",
  fixed: "Diese Eigenschaften lassen sich nur im Quelltext ändern."
}

export const propertyFilter: Translation["propertyFilter"] = {
  title: "Nach einer Eigenschaft filtern",
  property: "Eigenschaft",
  apply: "Filtern",
  comparison: "Vergleich",
  comparisons: {
    is: "ist",
    contains: "enthält",
    on: "am",
    before: "vor",
    after: "nach",
    yes: "ja",
    no: "nein",
    set: "hat einen Wert",
    unset: "hat keinen Wert"
  },
  value: "Wert",
  none: "Keine Notiz hat Eigenschaften."
}
