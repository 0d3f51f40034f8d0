import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, form } = phrasesIn("fr")

export const account: Translation["main"]["account"] = {
  signIn: "Se connecter",
  by: (provider) => `Continuer avec ${provider}`,
  byPasskey: "Se connecter avec une clé d’accès",
  signInLead: "Vos notes, sur votre serveur.",
  signUp: "Créer un compte",
  signUpLeads: {
    open: "Tout le monde peut créer un compte sur ce serveur.",
    invite: "Utilisez l’adresse qui a reçu l’invitation."
  },
  forgot: "Mot de passe oublié ?",
  forgotLead: "Si l’adresse a un compte, un e-mail avec un lien lui est envoyé.",
  sendLink: "Envoyer un lien",
  linkSent: "Consultez vos e-mails. Le lien est valable une heure.",
  email: "Adresse e-mail",
  password: "Mot de passe",
  passwordHint: "Au moins 10 caractères",
  name: "Nom",
  invitation: "Invitation",
  invitationHint: "La partie du lien d’invitation après token=",
  firstStart: "Premier démarrage ? Ouvrez le lien affiché dans le terminal du serveur.",
  again: "Votre session a pris fin",
  againLead: "Votre session a pris fin. Votre texte reste dans ce navigateur jusqu’à votre prochaine connexion.",
  add: "Ajouter un compte",
  signOut: "Se déconnecter",
  signOutConfirm:
    "Une partie du texte n’est pas sur le serveur. Elle reste dans ce navigateur jusqu’à votre prochaine connexion. Se déconnecter ?",
  sendingConfirm: "Un fichier en cours d’envoi n’arrivera pas. Se déconnecter ?",
  signedOutHere: "Vous êtes déconnecté sur cet appareil. Le serveur était injoignable : sa liste a encore la session.",
  signedOutElsewhere: "Vous vous êtes déconnecté dans un autre onglet.",
  menu: "Compte et espace de travail"
}

export const templates: Translation["templates"] = {
  title: "Modèles",
  none: "Pas encore de modèles. Une note peut aussi être enregistrée comme modèle.",
  create: "Nouveau modèle",
  edit: "Modifier",
  remove: "Supprimer",
  back: "Retour",
  name: "Nom du modèle",
  body: "Texte du modèle",
  deleted: (name) => `« ${name} » est supprimé.`,
  changed: "Quelqu’un a modifié ce modèle. Enregistrez de nouveau pour remplacer son texte.",
  gone: "Le modèle a été supprimé. Enregistrez de nouveau pour le créer avec votre texte.",
  placeholders: "Champs",
  hints: [
    ["{{title}}", "le titre de la note"],
    ["{{date}} {{time}} {{datetime}}", "maintenant, dans votre fuseau horaire"],
    ["{{year}} {{month}} {{day}} {{weekday}}", "parties de la date"],
    ["{{date:DD.MM.YYYY}}", "dans un format de Day.js"],
    ["{{date+1d}} {{date-2w}}", "décalé de h, d, w, m ou y"],
    ["{{user.name}} {{user.email}}", "vous"],
    ["{{notebook.name}} {{workspace.name}}", "où se trouve la note"],
    ["{{uuid}}", "un nouvel identifiant à chaque fois"]
  ]
}

export const imports: Translation["imports"] = {
  title: "Importer des notes",
  file: "Fichier",
  drop: "Choisissez un fichier, ou déposez-le ici",
  source: "Depuis",
  sources: {
    auto: "Tout programme : reconnu au contenu",
    markdown: "Markdown ou ZIP (Obsidian, Logseq, Bear)",
    enex: "Evernote (.enex)",
    notion: "Notion (ZIP)",
    json: "Sheaf (export JSON)"
  },
  notebook: "Dans",
  ownNotebooks: "De nouveaux carnets, selon les dossiers",
  existing: "Notes d’importations précédentes",
  existingWays: {
    skip: "Les laisser ; ajouter celles qui ont changé",
    update: "Y écrire les modifications",
    duplicate: "Ajouter de nouveau toutes les notes"
  },
  options: "Options",
  start: "Importer",
  tooLarge: (name) => `${name} dépasse 2 Go, la limite d’une importation. Divisez-le.`,
  sending: (name) => `Envoi de ${name}`,
  keepOpen: "Gardez la page ouverte jusqu’à la fin de l’envoi.",
  unsent: "Le serveur est injoignable, et le fichier n’a pas été envoyé.",
  waiting: "Le fichier est arrivé. L’importation attend son tour.",
  running: "Importation",
  soFar: (count, total) =>
    total !== null
      ? `${count} sur ${counted(total, "note", "notes")}`
      : count === 0
        ? "Lecture du fichier"
        : `${counted(count, "note", "notes")} jusqu’ici`,
  mayClose: "Le serveur continue si vous fermez cette fenêtre ou la page.",
  away: "Le serveur est injoignable. L’importation y continue.",
  done: (count, remarks = 0) =>
    [
      `${counted(count, "note importée", "notes importées")}.`,
      ...(remarks === 0 ? [] : [counted(remarks, "remarque", "remarques")])
    ].join(" "),
  imported: (count) => `${counted(count, "note importée", "notes importées")} avant l’échec.`,
  updated: (count) => `${counted(count, "note mise à jour", "notes mises à jour")}.`,
  skipped: (count) =>
    `${counted(count, "note est déjà là", "notes sont déjà là")} et ${form(count, "a été ignorée", "ont été ignorées")}.`,
  failed: "L’importation a échoué.",
  remarks: "Remarques",
  moreProblems: (count) => `Il y en a ${count} de plus.`,
  show: "Afficher",
  other: "Importer un autre fichier",
  undo: "Annuler cette importation",
  preview: "Aperçu",
  foreseen: "Aperçu de l’importation :"
}

export const administration: Translation["administration"] = {
  words: {
    about: "À propos de",
    action: "Action",
    actionOf: (action, when) => `${action}, ${when}`,
    actions: "Actions",
    address: "Adresse",
    begun: "Début",
    created: "Création",
    delete: "Supprimer…",
    deleteWorkspace: "Supprimer l’espace de travail",
    details: "Détails",
    download: "Télécharger",
    due: (when) => `prévu ${when}`,
    email: "Adresse e-mail",
    file: "Fichier",
    files: "Fichiers",
    kept: "Tout ce qui est conservé, avec les envois, importations, exportations et fichiers supprimés",
    lastUsed: "Dernière utilisation",
    linkFor: (email) => `Lien pour ${email}`,
    makeKey: "Créer la clé",
    members: "Membres",
    name: "Nom",
    never: "jamais",
    notes: "Notes",
    of: (used, limit) => `${used} sur ${limit}`,
    open: "Ouvrir",
    openOf: (name) => `Ouvrir ${name}`,
    password: "Mot de passe",
    plan: "Offre",
    plans: { free: "Free", plus: "Plus", team: "Team" },
    refresh: "Actualiser",
    result: "Résultat",
    saved: "Enregistré.",
    seats: "Places",
    secondFactors: "Seconds facteurs",
    sendAgain: "Renvoyer",
    sendAgainTo: (email) => `Renvoyer à ${email}`,
    sessions: "Sessions",
    sessionsEnded: (count) => `${counted(count, "session terminée", "sessions terminées")}.`,
    show: "Afficher",
    size: "Taille",
    state: "État",
    stored: "Stocké",
    when: "Quand",
    workspace: "Espace de travail"
  },
  back: "Retour aux notes",
  skip: "Aller à la page",
  noPage: "Cette page n’existe pas.",
  done: "Terminé",
  copy: "Copier",
  showDetails: "Détails",
  hideDetails: "Masquer",
  loadMore: "Charger plus",
  password: {
    title: "Confirmez que c’est bien vous",
    lead: "Votre connexion date déjà.",
    one: "Un seul de ces moyens suffit.",
    code: "Code de l’application d’authentification ou code de secours",
    recoveryCode: "Code de secours",
    passkey: "Utiliser une clé d’accès",
    confirm: "Continuer",
    by: (name) => `Confirmer avec ${name}`,
    after: "Connectez-vous sur l’autre page, puis continuez ici.",
    problems: { invalid_credentials: "Le mot de passe est incorrect." }
  }
}
