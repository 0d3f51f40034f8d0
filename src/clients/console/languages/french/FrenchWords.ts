import type { Translation } from "../Translation.ts"

export const icons: Translation["icons"] = {
  archive: "archives",
  bell: "cloche",
  book: "livre",
  bookmark: "marque-page",
  box: "boîte",
  briefcase: "porte-documents",
  bug: "insecte",
  calendar: "calendrier",
  camera: "appareil photo",
  cart: "chariot",
  chart: "graphique",
  chat: "discussion",
  check: "coche",
  clock: "horloge",
  cloud: "nuage",
  code: "code source",
  coffee: "café",
  compass: "boussole",
  cup: "tasse",
  database: "base de données",
  document: "page écrite",
  earth: "Terre",
  film: "pellicule",
  flag: "drapeau",
  flask: "fiole",
  folder: "dossier",
  game: "jeu",
  gear: "engrenage",
  gift: "cadeau",
  graduation: "diplôme",
  heart: "cœur",
  home: "maison",
  inbox: "boîte de réception",
  key: "clé",
  lamp: "lampe",
  leaf: "feuille",
  lightbulb: "ampoule",
  link: "lien",
  list: "liste",
  lock: "cadenas",
  mail: "courrier",
  map: "carte",
  megaphone: "mégaphone",
  moon: "lune",
  music: "musique",
  notebook: "carnet",
  paint: "peinture",
  paperclip: "trombone",
  pen: "stylo",
  people: "groupe",
  phone: "téléphone",
  photo: "image",
  pin: "punaise",
  plane: "avion",
  puzzle: "pièce de puzzle",
  rocket: "fusée",
  shield: "bouclier",
  star: "étoile",
  sun: "soleil",
  tag: "étiquette",
  target: "cible",
  tools: "outils",
  tree: "arbre",
  trophy: "trophée",
  umbrella: "parapluie",
  user: "personne",
  wallet: "portefeuille",
  wrench: "clé à molette"
}

export const editor: Translation["editor"] = {
  Find: "Rechercher",
  Replace: "Remplacer",
  next: "suivant",
  previous: "précédent",
  all: "tout",
  "match case": "Respecter la casse",
  regexp: "Expression régulière",
  "by word": "Mots entiers",
  replace: "remplacer",
  "replace all": "tout remplacer",
  close: "fermer",
  "current match": "résultat actuel",
  "on line": "à la ligne",
  "replaced match on line $": "résultat remplacé à la ligne $",
  "replaced $ matches": "$ résultats remplacés",
  "Control character": "Caractère de contrôle",
  "Selection deleted": "Sélection supprimée",
  Completions: "Suggestions"
}

export const looks: Translation["looks"] = {
  notebookName: "Nom du carnet",
  topLevel: "Premier niveau",
  notebookDialogs: { create: "Nouveau carnet", edit: "Modifier le carnet", move: "Déplacer vers…" },
  colors: {
    label: "Couleur",
    none: "Aucune couleur",
    other: "Autre couleur",
    names: {
      red: "Rouge",
      orange: "Orange",
      yellow: "Jaune",
      green: "Vert",
      teal: "Turquoise",
      blue: "Bleu",
      violet: "Violet",
      pink: "Rose",
      brown: "Marron",
      grey: "Gris"
    }
  },
  icons: { label: "Icône", none: "aucune" }
}

export const writing: Translation["writing"] = {
  formatting: {
    name: "Mise en forme",
    show: "Afficher la barre de mise en forme",
    hide: "Masquer la barre de mise en forme",
    heading: "Titre",
    bold: "Gras",
    italic: "Italique",
    struck: "Barré",
    code: "Code source",
    link: "Lien",
    bullets: "Liste à puces",
    numbers: "Liste numérotée",
    tasks: "Tâches",
    indent: "Augmenter le retrait (Tab)",
    outdent: "Diminuer le retrait (Shift-Tab)"
  },
  blocks: {
    heading: (level) => `Titre ${level}`,
    bullets: "Liste à puces",
    numbers: "Liste numérotée",
    task: "Tâche",
    table: "Tableau",
    columns: ["Colonne", "Colonne"],
    callout: "Encadré",
    calloutTitle: "Titre",
    code: "Bloc de code",
    date: "Date du jour",
    link: "Lien vers une note",
    file: "Image ou fichier",
    template: (name) => `Modèle : ${name}`
  },
  newNote: (title) => `Nouvelle note « ${title} »`,
  follow: (key) => `${key}-clic ou Alt-Enter ouvre le lien`,
  imageWidth: "Largeur de l’image",
  ticked: "Fait",
  unticked: "À faire"
}

export const charts: Translation["charts"] = {
  table: "Afficher en tableau",
  time: "Heure",
  none: "–"
}

export const appearance: Translation["appearance"] = {
  title: "Apparence",
  lead: "Ces choix valent sur cet appareil.",
  command: (label, value) => `${label} : ${value}`,
  theme: {
    label: "Thème",
    values: {
      system: ["Celui du système", "couleurs automatique"],
      light: ["Clair", "couleurs jour"],
      dark: ["Sombre", "couleurs nuit"]
    }
  },
  size: {
    label: "Taille du texte",
    values: {
      normal: ["Normale", "police lettres"],
      small: ["Petite", "police lettres"],
      large: ["Grande", "police lettres agrandir zoom"],
      larger: ["Très grande", "police lettres agrandir zoom"]
    }
  },
  width: {
    label: "Largeur du texte",
    values: { normal: ["Normale", "colonne lignes étroite"], wide: ["Large", "colonne lignes"] }
  }
}
