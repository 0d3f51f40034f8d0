import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form, list } = phrasesIn("fr")

export const finding: Translation["finding"] = {
  palette: {
    title: "Trouver ou faire quelque chose",
    placeholder: "Trouver une note, un carnet, une étiquette ou une commande",
    outlinePlaceholder: "Trouver un titre",
    noHeadings: "Cette note n’a pas de titres.",
    none: "Aucun résultat.",
    recent: "Ouvertes récemment",
    loaded: "Meilleurs résultats",
    server: "Dans toutes les notes",
    commands: "Commandes",
    headings: "Titres",
    offline: "Le serveur est injoignable. La recherche se limite à ce qui est chargé.",
    count: (count) => counted(count, "résultat", "résultats"),
    heading: "Titre",
    searchFor: (query) => `Rechercher « ${query} » dans tous les textes`,
    create: (title) => `Nouvelle note « ${title} »`,
    hints: [
      ["↑↓", "parcourir"],
      ["Enter", "ouvrir"],
      ["Esc", "fermer"]
    ]
  },
  list: {
    menu: "Ordre et lignes de la liste",
    fields: { updated_at: "Dernière modification", created_at: "Création", title: "Titre" },
    relevance: "Meilleurs résultats",
    directions: { byTime: ["Plus anciennes d’abord", "Plus récentes d’abord"], byTitle: ["De A à Z", "De Z à A"] },
    filter: "Filtrer",
    compact: "Une ligne par note",
    select: "Sélectionner des notes"
  },
  note: {
    archive: "Archiver",
    unarchive: "Sortir des archives",
    duplicate: "Dupliquer",
    trash: "Mettre à la corbeille",
    trashed: "La note est dans la corbeille.",
    isArchived: "La note est dans les archives.",
    outline: "Plan de la note",
    template: "Enregistrer comme modèle",
    templateSaved: "Le modèle est enregistré."
  },
  links: "Liens vers cette note",
  columns: { name: "Colonnes", side: "Largeur de la navigation", list: "Largeur de la liste" },
  commands: {
    newNote: { title: "Nouvelle note", aliases: "créer écrire" },
    today: { title: "Note du jour", aliases: "quotidien journal date aujourd’hui daily" },
    property: { title: "Ajouter une propriété", aliases: "métadonnées frontmatter yaml" },
    outline: { title: "Plan de la note", aliases: "titres table des matières sommaire" },
    links: { title: "Liens vers la note", aliases: "rétroliens références mentions backlinks" },
    askLinks: { title: "Demander pour les liens après un renommage", aliases: "titre" },
    tasks: { title: "Tâches", aliases: "à faire échéance aujourd’hui retard todo" },
    search: { title: "Rechercher dans tous les textes", aliases: "trouver" },
    settings: { title: "Paramètres", aliases: "préférences compte profil réglages" },
    server: { title: "Serveur", aliases: "opérateur administration" },
    exports: { title: "Exporter les notes", aliases: "télécharger sauvegarde paramètres" },
    imports: { title: "Importer des notes", aliases: "apporter envoyer obsidian logseq" },
    print: { title: "Imprimer la note", aliases: "pdf papier" },
    copyMarkdown: { title: "Copier en Markdown", aliases: "presse-papiers source" },
    copyFormatted: { title: "Copier avec la mise en forme", aliases: "presse-papiers html mail word" },
    exportNote: { title: "Enregistrer en fichier Markdown", aliases: "exporter télécharger md" },
    keys: { title: "Touches", aliases: "raccourcis clavier aide" }
  },
  withoutFiles: "Le fichier contient le texte de la note. Les fichiers joints sont dans un export de son carnet.",
  filters: {
    label: "Filtres de la recherche",
    notebook: "Carnet",
    tag: "Étiquette",
    time: "Modifiée",
    times: {
      today: "Aujourd’hui",
      week: "Ces 7 derniers jours",
      month: "Ces 30 derniers jours",
      year: "Cette dernière année"
    },
    property: "Propriété",
    archive: "Archives",
    archived: "Seulement archivées",
    notArchived: "Non archivées"
  },
  keys: {
    places: {
      anywhere: "Partout",
      list: "Dans la liste des notes",
      text: "Dans le texte d’une note"
    },
    single: "Les touches seules, comme N, agissent tant qu’aucun texte n’a le focus"
  }
}

export const keys: Translation["keys"] = {
  anywhere: [
    ["Ctrl-K", "trouver une note, un carnet, une étiquette, un titre ou une commande"],
    ["/", "rechercher dans les textes de toutes les notes"],
    ["?", "afficher ces touches"],
    ["N", "nouvelle note"],
    ["D", "la note du jour"],
    ["O", "plan de la note ouverte"],
    ["L", "les liens vers la note ouverte"],
    ["T", "les tâches"],
    ["Ctrl-E", "lire ou écrire ; avec du texte sélectionné : code"],
    ["Ctrl-S", "enregistrer maintenant"]
  ],
  list: [
    ["↓, ↑; J, K", "la note suivante, la précédente"],
    ["Space", "sélectionner la note, ou non"],
    ["Shift-↓, Shift-↑", "sélectionner aussi la note suivante, la précédente"],
    ["Ctrl-A", "sélectionner toutes les notes de la liste"],
    ["Escape", "ne rien sélectionner"]
  ],
  text: [
    [
      "Ctrl-B, Ctrl-I, Ctrl-Shift-X",
      "gras, italique, barré : la sélection ou le mot au curseur ; de nouveau pour l’enlever"
    ],
    ["Ctrl-K, avec du texte sélectionné", "créer un lien ; dans un lien, sélectionner son adresse"],
    ["Ctrl-Shift-7, -8, -9", "liste numérotée, liste à puces, tâches ; de nouveau pour finir la liste"],
    ["Ctrl-Enter", "cocher la tâche ou celles sélectionnées ; faire une tâche d’une autre ligne"],
    ["`/`", "le menu des titres, listes, tableaux et autres blocs"],
    ["Ctrl-Z; Ctrl-Y ou Ctrl-Shift-Z", "annuler la saisie ; la rétablir"],
    ["Ctrl-F; F3", "rechercher dans le texte ; l’occurrence suivante"],
    ["`[[`, `[[titre#`", "compléter le titre d’une note, un titre dans la note"],
    ["Tab, Shift-Tab dans une liste", "mettre l’élément dans le précédent ; l’en sortir"],
    [
      "Tab, Shift-Tab dans un tableau",
      "cellule suivante, précédente ; aligne les colonnes, et ajoute une ligne après la dernière"
    ],
    ["Alt-↑, Alt-↓", "déplacer la ligne"],
    ["Alt-Enter, ou Ctrl-clic", "ouvrir le lien au curseur"],
    ["Escape, puis Tab", "quitter le texte"]
  ]
}

const notes = (count: number) => counted(count, "note", "notes")
const are = (count: number) => counted(count, "note est", "notes sont")

export const several: Translation["several"] = {
  selected: (count) => counted(count, "note sélectionnée", "notes sélectionnées"),
  progress: (done, all) => `${done} sur ${all}…`,
  move: "Déplacer vers un carnet…",
  moveTitle: (count) => `Déplacer ${notes(count)}`,
  moveAction: "Déplacer",
  tag: "Ajouter une étiquette…",
  tagTitle: (count) => `Ajouter une étiquette à ${notes(count)}`,
  tagAction: "Ajouter",
  tagName: "Étiquette",
  clear: "Ne rien sélectionner",
  archive: "Archiver",
  unarchive: "Sortir des archives",
  trash: "Mettre à la corbeille",
  restore: "Restaurer",
  notebookDeleted: (name) => `« ${name} » et ses notes sont dans la corbeille.`,
  done: {
    move: (count, notebook) => `${are(count)} maintenant dans « ${notebook} ».`,
    tag: (count, tag) => `${counted(count, "note a reçu", "notes ont reçu")} #${tag}.`,
    archive: (count) => `${are(count)} dans les archives.`,
    unarchive: (count) => `${counted(count, "note n’est", "notes ne sont")} plus dans les archives.`,
    trash: (count) => `${are(count)} dans la corbeille.`,
    restore: (count) => `${counted(count, "note est restaurée", "notes sont restaurées")}.`
  },
  failed: (count, shown) =>
    `${counted(count, "note n’a", "notes n’ont")} pas changé : ${shown.join(" ; ")}${count > shown.length ? " ; …" : ""}`,
  failure: (title, reason) => `« ${title} » : ${reason}`
}

export const tags: Translation["tags"] = {
  dialog: {
    titles: {
      edit: (name) => `#${name}`,
      merge: (name) => `Fusionner #${name}`,
      delete: (name) => `Supprimer #${name}`
    },
    done: { merge: (name) => `#${name} est fusionnée.`, delete: (name) => `#${name} est supprimée.` },
    actions: { edit: "Enregistrer", merge: "Fusionner", delete: "Supprimer" },
    name: "Nom de l’étiquette",
    nameHint: "Sans espaces, virgules ni #",
    exists: "Une étiquette porte déjà ce nom. Fusionnez plutôt les deux.",
    unknown: "Aucune étiquette ne porte ce nom.",
    target: "Étiquette qui la remplace",
    mergeLead: (name) => `Toutes les notes avec #${name} reçoivent l’autre étiquette, et #${name} est supprimée.`,
    deleteLead: (count) =>
      count === 0
        ? "Aucune note n’a cette étiquette."
        : `${counted(count, "note a", "notes ont")} cette étiquette et la ${form(count, "perdra", "perdront")}. Les notes restent.`
  },
  all: {
    filter: "Partie du nom",
    more: "Afficher plus",
    none: "Aucune étiquette ne correspond."
  }
}

export const undo: Translation["undo"] = {
  title: "Annuler ces modifications",
  again: "Annuler l’annulation",
  looking: "Recherche de ce qui changerait",
  lead: "Rien n’a encore changé. Voici ce que fait l’annulation :",
  leadAgain: "Les modifications sont déjà annulées. Sans cette annulation, elles sont de nouveau là :",
  nothing: "Rien de cela ne peut être annulé.",
  gone: "Ces modifications ne peuvent plus être annulées : le délai est de 90 jours.",
  running: "Annulation en cours",
  mayClose: "Le serveur continue quand vous fermez cette fenêtre.",
  done: "C’est annulé.",
  doneAgain: "Les modifications sont de nouveau là.",
  partly: (kept) => `C’est annulé. ${counted(kept, "élément reste tel quel", "éléments restent tels quels")}.`,
  failed: "Le serveur n’a pas pu tout annuler. Ce qu’il a annulé le reste.",
  details: "Détails",
  more: "Afficher plus",
  outcomes: {
    kept: (count) => `Reste tel quel : ${count}`,
    merged: (count) => `Comme avant, sauf les modifications suivantes : ${count}`,
    reverted: (count) => `Comme avant : ${count}`
  },
  reasons: {
    changed_since: "Modifié depuis",
    deleted_since: "Supprimé depuis",
    restored_since: "Restauré depuis",
    not_kept: "L’état précédent n’est plus conservé",
    not_empty: "Contient d’autres notes depuis",
    is_file: "Les fichiers restent : leur suppression ne pourrait pas être annulée",
    refused: "Refusé, par exemple à cause d’une limite ou d’un nom déjà pris"
  },
  fields: { body: "texte", title: "titre", name: "nom", tags: "étiquettes", pinned: "épingle", notebook_id: "carnet" },
  because: (reason, members) => (members.length === 0 ? reason : `${reason} : ${list(members)}`),
  types: {
    note: "Note",
    notebook: "Carnet",
    tag: "Étiquette",
    template: "Modèle",
    attachment: "Fichier",
    comment: "Commentaire",
    reminder: "Rappel"
  }
}
