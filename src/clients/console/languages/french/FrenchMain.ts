import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import { problems } from "../../../../../services/languages/FrenchProblems.ts"
import type { Translation } from "../Translation.ts"
import { account } from "./FrenchAccounts.ts"

const { counted, list } = phrasesIn("fr")

export const main: Translation["main"] = {
  name: "Sheaf",
  close: "Fermer",
  save: "Enregistrer",
  undo: "Annuler l’action",
  retry: "Réessayer",
  more: "Plus",
  cancel: "Annuler",
  copied: "Copié.",
  notCopied: "Le navigateur n’autorise pas Sheaf à copier.",
  settings: "Paramètres",
  connect: "Connecter une application",
  server: "Serveur",
  offline: "Le serveur est injoignable. Votre texte est conservé sur cet appareil.",
  notFound: "Cette note n’est pas ici. Elle a été supprimée, ou appartient à un autre espace de travail.",
  unexpected: "Un problème inattendu s’est produit. Votre texte est conservé sur cet appareil.",
  untitled: "Sans titre",
  noteName: "Note",
  notebook: "Carnet",

  problems: {
    ...problems,
    no_response: "Le serveur est injoignable.",
    unexpected_response: "Le serveur a envoyé une réponse inattendue."
  },

  account,

  lists: {
    all: "Toutes les notes",
    tasks: "Tâches",
    archive: "Archives",
    trash: "Corbeille",
    search: "Recherche"
  },
  navigation: "Carnets et étiquettes",
  openNavigation: "Ouvrir la navigation",
  notebooks: "Carnets",
  tags: "Étiquettes",
  newNotebook: "Nouveau carnet",
  editNotebook: "Modifier…",
  deleteNotebook: "Supprimer",
  moveNotebook: "Déplacer vers…",
  notebookTitle: (name, own, inside) =>
    own === inside ? `${name} : ${own}` : `${name} : ${own}, ${inside} avec les carnets qu’il contient`,
  newSubnotebook: "Nouveau carnet à l’intérieur",
  expand: (name) => `Afficher les carnets de ${name}`,

  tagMenu: { edit: "Nom et couleur…", merge: "Fusionner avec…", delete: "Supprimer…" },
  allTags: {
    title: "Toutes les étiquettes",
    limited: (most) => `Les ${most} étiquettes qui ont le plus de notes sont affichées.`
  },

  skip: "Aller à la liste des notes",
  search: "Rechercher des notes",
  palette: (key) => `Trouver ou faire quelque chose (${key})`,
  list: {
    pick: (title) => `Sélectionner ${title}`
  },
  results: (count) => counted(count, "note", "notes"),
  empty: {
    all: "Pas encore de notes. Écrivez la première.",
    archive: "Les notes archivées sont rangées ici.",
    trash: "La corbeille est vide. Les notes y restent 30 jours.",
    notebook: "Ce carnet est vide.",
    tag: "Aucune note n’a cette étiquette.",
    search: "Aucune note ne correspond."
  },
  noSelection: "Commencez ici :",
  writeNote: "Écrire une note",
  keysHint: (find, write) =>
    `${find} trouve notes et commandes, ${write} écrit, ? affiche les touches, [[ lie une note.`,
  newNote: "Nouvelle note",
  fromTemplate: "Nouvelle note à partir d’un modèle",

  importNotes: "Importer des notes…",
  manageTemplates: "Gérer les modèles…",
  unresolved: (names) => `La note contient des champs sans valeur : ${list(names)}`,
  note: {
    title: "Titre",
    body: "Texte de la note",
    read: "Lire",
    write: "Écrire",
    back: "Retour à la liste",
    pin: "Épingler",
    unpin: "Détacher",
    removed: "Cette note a été supprimée ou mise à la corbeille.",
    move: "Carnet",
    tags: "Étiquettes",
    addTag: "Ajouter une étiquette",
    removeTag: (name) => `Retirer ${name}`,
    words: (count) => counted(count, "mot", "mots"),
    history: "Historique",
    activity: "Ce qui s’est passé",
    share: "Partager",
    reminders: "Rappels",
    comments: "Commentaires",
    attach: "Joindre un fichier"
  },

  saving: {
    saved: "Enregistré",
    saving: "Enregistrement…",
    typing: "Pas encore enregistré",
    offline: "Hors ligne : conservé sur cet appareil",
    conflict: "Attend votre décision",
    refused: "Non enregistré",
    unstored: "Ce navigateur ne peut pas conserver le texte. Ne fermez pas la page.",
    merged: "Fusionné avec une autre modification",
    compare: "Comparer"
  },
  gone: "La note a été supprimée pendant que vous écriviez. Votre texte est conservé ici.",
  saveAsNew: "Enregistrer comme nouvelle note",
  discard: "Abandonner mon texte",
  discardConfirm: "Abandonner le texte non enregistré ? C’est irréversible.",

  waiting: {
    count: (count) => counted(count, "texte en attente", "textes en attente"),
    show: "Afficher",
    sent: "Le texte a été enregistré entre-temps."
  },

  noWorkspace: "Vous n’êtes plus membre de cet espace de travail, ou il a été supprimé.",
  openOwnWorkspace: "Ouvrir mon espace de travail",
  editorOffline: "L’éditeur a besoin du serveur. Votre texte est conservé sur cet appareil.",
  restored: (when) =>
    `Le serveur a été restauré à partir d’une sauvegarde${when === undefined ? "" : ` du ${when}`}. Les modifications faites depuis manquent, sauf si un appareil les renvoie. Votre texte est conservé.`,
  newVersionOfServer: "Le serveur a été mis à jour. Rechargez la page ; votre texte est conservé.",
  reload: "Recharger"
}
