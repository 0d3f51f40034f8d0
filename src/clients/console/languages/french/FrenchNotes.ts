import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted, list } = phrasesIn("fr")

export const notes: Translation["notes"] = {
  trashed: {
    restore: "Restaurer",
    erase: "Supprimer définitivement",
    eraseConfirm: "La note et son historique sont effacés. C’est irréversible.",
    inTrash: "Cette note est dans la corbeille."
  },
  missing: (id) =>
    `La note ${id} n’est pas ici. Elle a été supprimée, ou appartient à un autre espace de travail. Cherchez ses mots, ou voyez la corbeille.`,
  openTrash: "Chercher dans la corbeille",
  waiting: {
    title: "Textes sur cet appareil",
    lead: "Enregistrés dès que le serveur est joignable. Ceux qui restent attendent votre décision : ouvrez-les.",
    open: "Ouvrir",
    discard: "Abandonner"
  },

  boxMoved: "La ligne de cette case a changé. Rien n’a été coché : relisez la note.",

  conflict: {
    title: "Vous et une autre personne avez modifié le même titre",
    lead: "Choisissez le titre, ou le texte si les deux sont trop longs. L’historique garde les deux.",
    mergedLead: "La note contient les mots des deux versions. L’historique garde la note telle qu’elle était avant.",
    base: "Avant",
    theirs: "L’autre version",
    yours: "Votre version",
    result: "Résultat",
    resultTitle: "Titre du résultat",
    useMerged: "Enregistrer le résultat",
    useTheirs: "Utiliser l’autre version",
    useYours: "Utiliser votre version"
  },

  history: {
    same: "Le texte est le même qu’avant.",
    added: "ajouté",
    removed: "supprimé",
    version: (version) => `Version ${version}`,
    current: "Version actuelle",
    by: (name) => `par ${name}`,
    showAll: "Afficher toutes les versions",
    restore: "Restaurer cette version",
    restored: "La version est restaurée.",
    restoresTags: (names) =>
      names.length === 0
        ? "La note perd ses étiquettes : cette version n’en a pas."
        : `Les étiquettes de cette version reviennent aussi : ${names.map((name) => `#${name}`).join(" ")}`
  },

  reminders: {
    when: "Quand",
    presets: { evening: "Ce soir", tomorrow: "Demain", week: "La semaine prochaine" },
    add: "Ajouter un rappel",
    channel: "Par",
    channels: { push: "Notification", email: "E-mail", webhook: "Webhook" },
    done: "Fait",
    remove: (when) => `Supprimer ${when}`,
    none: "Aucun rappel.",
    noMail: "Ce serveur n’envoie pas d’e-mails.",
    noWebhook: "Webhook (aucun ne reçoit les rappels)",
    onlyOpen:
      "Aucun de vos appareils ne reçoit de notifications. Le rappel s’affiche dans Sheaf, tant qu’il est ouvert.",
    elsewhere: "Un autre de vos appareils reçoit des notifications, mais pas celui-ci.",
    subscribe: "M’avertir sur cet appareil",
    denied: "Le navigateur n’autorise pas les notifications de cette page. Ses paramètres peuvent le changer.",
    fired: (title) => `Rappel : ${title}`,
    open: "Ouvrir la note",
    subscribed: "Cet appareil reçoit des notifications."
  },
  comments: {
    add: "Commenter",
    write: "Écrire un commentaire",
    reply: "Répondre",
    resolve: "Marquer comme résolu",
    reopen: "Rouvrir",
    remove: "Supprimer",
    deleted: "Ce commentaire a été supprimé.",
    none: "Pas encore de commentaires."
  },
  shares: {
    lead: "Toute personne qui a le lien peut lire le texte actuel de cette note.",
    create: "Créer un lien",
    password: "Mot de passe (facultatif)",
    passwordHint: "Au moins 8 caractères",
    expires: "Fin (facultatif)",
    copy: "Copier le lien",
    remove: "Désactiver ce lien",
    protected: "avec un mot de passe",
    until: (when) => `jusqu’au ${when}`,
    views: (count) => counted(count, "vue", "vues")
  }
}

export const attaching: Translation["attaching"] = {
  uploading: (name, percent) => `${name} : ${percent} %`,
  tooLarge: (name) => `${name} dépasse la taille permise par l’offre.`,
  unreadable: (name) => `${name} ne peut pas être lu. Un dossier ne peut pas être joint.`,
  notAttached: (name, reason) => `${name} n’a pas été joint : ${reason}`
}

export const activity: Translation["activity"] = {
  sentence: (who, what, device, means) =>
    [who, what, ...(device === undefined ? [] : ["sur", device]), ...(means === undefined ? [] : [means])].join(" "),
  byApp: (app) => `par ${app}`,
  byTool: (tool) => `par un assistant (${tool})`,
  byImport: "par une importation",
  byUndo: "par une annulation",
  withKey: (name, key) => `${name}, avec la clé d’API${key === undefined ? "" : ` ${key}`},`,
  formerMember: "Un ancien membre",
  fields: {
    body: "le texte",
    title: "le titre",
    tags: "les étiquettes",
    pinned: "l’épingle",
    notebook_id: "le carnet"
  },
  otherField: "la note",
  list: (names) => list(names),
  changed: (what) => `a modifié ${what}`,
  moved: "a déplacé la note dans un autre carnet",
  merged: (version) => `a fusionné une modification avec la version ${version}`,
  restoredVersion: (version) => `a restauré la version ${version}`,
  deletedVersion: (version) => `a supprimé la version ${version} de l’historique`,
  created: "a créé la note",
  imported: "a importé la note",
  copied: "a créé une copie de conflit",
  isCopy: "a créé cette note comme copie de conflit",
  restored: "a restauré la note depuis la corbeille",
  unarchived: "a sorti la note des archives",
  conflict: (edited, present) =>
    `a envoyé une modification en conflit (de la version ${edited}, alors que ${present === null ? "la note n’existait plus" : `la version ${present} était plus récente`})`,
  actions: {
    "note.archived": "a archivé la note",
    "note.deleted": "a mis la note à la corbeille",
    "attachment.created": "a ajouté un fichier",
    "attachment.ready": "a envoyé un fichier",
    "attachment.updated": "a modifié un fichier",
    "attachment.deleted": "a retiré un fichier",
    "comment.created": "a écrit un commentaire",
    "comment.updated": "a modifié un commentaire",
    "comment.resolved": "a résolu un commentaire",
    "comment.deleted": "a supprimé un commentaire",
    "reminder.created": "a créé un rappel",
    "reminder.updated": "a modifié un rappel",
    "reminder.fired": "a envoyé un rappel",
    "reminder.deleted": "a supprimé un rappel",
    "share.created": "a partagé la note par un lien",
    "share.updated": "a modifié un lien",
    "share.deleted": "a désactivé un lien"
  },
  versions: (newest, oldest) => (newest === oldest ? `Version ${newest}` : `Versions ${oldest} à ${newest}`),
  openCopy: "Ouvrir la copie",
  openOriginal: "Ouvrir l’original",
  undo: (who) => `Annuler ce que ${who} a fait`,
  undoAgain: "Annuler l’annulation",
  theImport: "l’importation",
  more: "Charger plus",
  none: "Rien ne s’est passé ces 90 derniers jours."
}

export const shared: Translation["shared"] = {
  title: "Partagé avec Sheaf",
  lead: (time) => `Une autre application de cet appareil a partagé ceci, ${time}. L’enregistrer comme note ?`,
  unchecked:
    "La provenance n’est pas vérifiée : un autre site a pu l’envoyer. Ne l’enregistrez que si vous l’avez partagé.",
  later: "Cet appareil le conserve. La note sera créée dès que le serveur sera joignable et que vous serez connecté.",
  files: "Fichiers",
  save: "Enregistrer comme note",
  discard: "Abandonner",
  discardConfirm: "Abandonner ce qui a été partagé ? C’est irréversible.",
  outcomes: {
    kept: "Le serveur est injoignable. Cet appareil garde ce qui a été partagé.",
    foreign:
      "Un autre site a envoyé quelque chose à Sheaf. Rien n’a été conservé : seules les applications de cet appareil partagent.",
    lost: "Ce qui a été partagé n’a pas pu être conservé. Partagez-le de nouveau.",
    full: "Ce navigateur n’a plus de place pour ce qui a été partagé. Libérez-en, puis réessayez.",
    many: "Non conservé, car 20 contenus attendent. Enregistrez-les ou abandonnez-les, puis partagez de nouveau.",
    large: "Non conservé : un texte a au plus 1 Mo, et tout ce qui attend 32 Mo. Envoyez les fichiers dans une note."
  }
}

export const offline: Translation["offline"] = {
  notKept: "Hors ligne. Ceci n’est pas conservé sur cet appareil."
}

export const start: Translation["start"] = {
  navigation: "Étapes",
  account: "Compte",
  steps: {
    import: {
      title: "Apportez vos notes",
      name: "Notes",
      lead: "Importez un coffre ou l’export d’une autre application, maintenant ou plus tard dans le menu du compte."
    },
    connect: {
      title: "Connecter une application",
      name: "Applications (facultatif)",
      lead: "Les assistants et les applications accèdent à vos notes avec l’adresse de ce serveur et une clé. Cette page est aussi dans le menu du compte."
    }
  },
  isDone: "terminé",
  write: "Écrire votre première note",
  connect: "Connecter une application (facultatif)",
  toNotes: "Aller aux notes",

  key: {
    title: "Clé d’API",
    lead: "Une clé fonctionne dans cet espace de travail jusqu’à sa révocation dans les paramètres.",
    nameHint: "Par exemple le nom de l’application",
    initialName: "Assistant",
    rights: "Accès",
    rightsNames: { read: "Lecture seule", write: "Lecture et écriture" },
    secret: (name) => `Clé « ${name} »`,
    secretHint: "Elle n’est plus affichée ensuite."
  },
  assistant: {
    title: "Assistant",
    lead: "Un assistant avec MCP lit les notes et en modifie des parties, sans rien supprimer définitivement.",
    address: "Adresse du serveur MCP",
    addressHint: "Saisissez-la comme connecteur ou serveur MCP de votre assistant. Vous l’autorisez ensuite ici.",
    withKey: "Assistants qui ont besoin d’une clé",
    client: "Configuration pour",
    configuration: (file) => `Contenu de ${file}`,
    keys: {
      variable: "L’assistant lit la clé dans la variable d’environnement SHEAF_KEY.",
      content: "La clé est dans le fichier. Ne le partagez pas.",
      question: "Le programme demande la clé et la conserve."
    }
  },
  app: {
    title: "Application",
    lead: "Pour une application qui synchronise les notes. Scannez le code pour l’ouvrir sur un téléphone.",
    address: "Adresse pour les applications",
    code: (address) => `Code QR de l’adresse ${address}`,
    onlyHere:
      "Seul cet appareil atteint cette adresse. Pour les autres, donnez-en une au serveur par HOST et PUBLIC_URL, et ouvrez-y la console."
  },
  copy: (what) => `Copier : ${what}`
}
