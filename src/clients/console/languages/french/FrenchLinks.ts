import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("fr")

export const links: Translation["links"] = {
  candidates: {
    title: (target) => `« ${target} » peut désigner plusieurs notes`,
    lead: "Choisissez la note à ouvrir."
  },
  preview: {
    missing: "Aucune note ne porte ce nom. Un clic la crée.",
    deleted: "Cette note n’est pas ici.",
    ambiguous: "Plusieurs notes portent ce nom. Un clic les propose.",
    empty: "La note n’a pas de texte.",
    follow: (key) => `${key}-clic l’ouvre.`
  },
  backlinks: {
    count: (links, notes) => `${counted(links, "lien", "liens")} dans ${counted(notes, "note", "notes")}`,
    atLeast: (count) => `${count}, et d’autres`,
    none: "Aucune note ne mène à celle-ci.",
    offline: "Seul le serveur, injoignable, connaît les liens.",
    more: "Afficher plus",
    broken: "Liens de cette note vers aucune note ou plusieurs",
    missing: "Aucune note ne porte ce nom : la créer",
    ambiguous: "Plusieurs notes portent ce nom : en choisir une",
    deleted: "Cette note n’est pas ici",
    mentions: "Mentions sans lien",
    link: "Lier",
    linkAll: "Tout lier",
    changed: "Les notes modifiées entre-temps restent ainsi."
  },
  renamed: {
    ask: (notes, title) =>
      `${counted(notes, "note mène", "notes mènent")} à « ${title} » par son ancien titre ou chemin.`,
    always: "Toujours faire ainsi",
    update: "Mettre à jour les liens",
    keep: "Garder",
    updated: (notes) => `Les liens de ${counted(notes, "note", "notes")} sont à jour.`
  }
}

export const tasks: Translation["tasks"] = {
  label: "Quelles tâches",
  views: { today: "Aujourd’hui", overdue: "En retard", upcoming: "À venir", open: "Toutes à faire", notes: "Par note" },
  allNotebooks: "Tous les carnets",
  empty: {
    today: "Rien n’est dû ni prévu aujourd’hui.",
    overdue: "Rien n’est en retard.",
    upcoming: "Rien n’est dû ni prévu après aujourd’hui.",
    open: "Aucune tâche à faire. Une ligne comme « - [ ] acheter du lait » en est une.",
    notes: "Aucune tâche à faire. Une ligne comme « - [ ] acheter du lait » en est une."
  },
  due: (text) => `Échéance : ${text}`,
  dueOn: (date) => `pour le ${date}`,
  planned: (date) => `prévu le ${date}`,
  dates: {
    today: "Aujourd’hui",
    tomorrow: "Demain",
    week: "Dans une semaine",
    other: "Autre jour…",
    none: "Sans date"
  },
  day: "Échéance",
  priority: (text) => `Priorité : ${text}`,
  priorities: {
    highest: "priorité maximale",
    high: "priorité haute",
    medium: "priorité moyenne",
    low: "priorité basse",
    lowest: "priorité minimale"
  },
  noPriority: "sans priorité",
  moved: "Cette tâche a changé. La liste la montre à jour.",
  more: "Afficher plus"
}

export const properties: Translation["properties"] = {
  title: "Propriétés",
  add: "Ajouter une propriété",
  name: "Nom de la propriété",
  kind: "Type",
  kinds: { text: "Texte", number: "Nombre", date: "Date", boolean: "Case", list: "Liste" },
  addItem: "Ajouter un élément",
  source: "Afficher la source",
  fixed: "Ces propriétés ne se modifient que dans leur source."
}

export const propertyFilter: Translation["propertyFilter"] = {
  title: "Filtrer par une propriété",
  property: "Propriété",
  apply: "Filtrer",
  comparison: "Comparaison",
  comparisons: {
    is: "est",
    contains: "contient",
    on: "le",
    before: "avant le",
    after: "après le",
    yes: "oui",
    no: "non",
    set: "a une valeur",
    unset: "n’a pas de valeur"
  },
  value: "Valeur",
  none: "Aucune note n’a de propriétés."
}
