import type { Translation } from "../Translation.ts"

const makerOnly = "Seule la personne qui a créé une clé peut lui donner un nouveau secret."

export const keys: Translation["settings"]["keys"] = {
  title: "Clés",
  lead: "Les programmes utilisent l’API avec une clé. Une clé a le rôle de la personne qui l’a créée.",
  create: "Nouvelle clé",
  nameHint: "Ce qui l’utilise, par exemple « Script de sauvegarde »",
  scopes: "Elle peut",
  scopeNames: {
    "notes:read": "lire les notes",
    "notes:write": "écrire des notes",
    "files:read": "lire les fichiers",
    "files:write": "écrire des fichiers",
    "export:read": "lire les exportations",
    "export:write": "créer des exportations",
    "members:read": "lire les membres",
    "members:write": "modifier les membres",
    "keys:read": "lire les clés",
    "keys:write": "créer des clés",
    "webhooks:read": "lire les webhooks",
    "webhooks:write": "modifier les webhooks",
    "audit:read": "lire le journal d’audit",
    profile: "lire le profil"
  },
  noScope: "Choisissez-en au moins un.",
  expires: "Fin (facultatif)",
  secret: (name) => `Secret de « ${name} »`,
  secretHint: "Il n’est affiché que maintenant. Conservez-le comme un mot de passe.",
  begins: "Commence par",
  none: "Aucune clé.",
  rotate: "Nouveau secret",
  rotateOf: (name) => `Nouveau secret pour ${name}`,
  rotated: (until) => `Le secret précédent fonctionne jusqu’au ${until}.`,
  revoke: "Révoquer…",
  revokeOf: (name) => `Révoquer ${name}`,
  revokeConfirm: "Les programmes qui utilisent la clé sont refusés immédiatement.",
  revokeButton: "Révoquer la clé",
  isEnded: "terminée",
  problems: { not_found: makerOnly, forbidden: makerOnly }
}

export const reach: Translation["settings"]["reach"] = {
  title: "Accès",
  limited: "Le reste est caché."
}

export const apps: Translation["settings"]["apps"] = {
  lead: "Les assistants et programmes qui agissent pour vous, chacun dans un espace de travail, sans votre mot de passe.",
  none: "Vous n’avez connecté aucune application.",
  name: "Application",
  left: "un espace de travail que vous avez quitté",
  may: "Elle peut",
  end: "Déconnecter…",
  endOf: (name) => `Déconnecter ${name}`,
  endConfirm: "Elle est refusée aussitôt. Ce qu’elle a écrit reste.",
  endButton: "Déconnecter",
  connect: "Connecter une application",
  connectLead:
    "Saisissez-la comme connecteur ou serveur MCP de votre assistant. Vous l’autorisez ensuite sur cette page.",
  ask: (name) => `Autoriser ${name} ?`,
  account: (email) => `L’application demande l’accès avec votre compte ${email}.`,
  knownByDocument: (host) => `Elle se décrit sur ${host}.`,
  knownBy: {
    registration: "L’application choisit elle-même son nom : n’importe qui peut le prendre.",
    operator: "L’opérateur de ce serveur la connaît."
  },
  goesTo: (host) => `Votre navigateur va à ${host}, qui obtient l’accès.`,
  local: (place) =>
    `Votre navigateur va à un programme sur cet appareil (${place}), qui obtient l’accès. Ne l’autorisez que si vous venez de commencer à le connecter.`,
  shares: "Elle peut aussi publier des notes par des liens que chacun peut ouvrir.",
  never: "Sans modifier votre compte, créer des clés, exporter l’espace de travail ni inviter des personnes.",
  refuse: "Refuser",
  allow: "Autoriser",
  problems: { validation_failed: "L’application a envoyé une demande non valable. Recommencez à partir d’elle." }
}

export const webhooks: Translation["settings"]["webhooks"] = {
  title: "Dans cet espace de travail",
  lead: "Le serveur envoie les événements de cet espace de travail à ces adresses, signés selon Standard Webhooks.",
  none: "Aucun webhook.",
  create: "Nouveau webhook",
  urlHint: "Une adresse https d’un hôte public",
  events: "Événements",
  all: "Tous les événements, même ceux des versions futures",
  allOf: (resource) => `Tous ceux de ${resource}.*`,
  single: (resource) => `Événements de ${resource}`,
  submit: "Ajouter le webhook",
  save: "Enregistrer le webhook",
  active: "actif",
  paused: "suspendu",
  reasons: {
    gone: "Suspendu : l’adresse a répondu qu’elle n’existe plus.",
    failing: "Suspendu : tous les envois ont échoué pendant cinq jours.",
    creator_left: "Suspendu : la personne qui l’a créé est partie.",
    key_ended: "Suspendu : la clé d’API qui l’a créé a pris fin."
  },
  used: "Dernière acceptation",
  back: "Tous les webhooks",
  secret: "Secret des signatures",
  secretHint: "Il n’est affiché que maintenant. Le destinataire en a besoin pour vérifier les signatures.",
  rotate: "Nouveau secret",
  rotated: (until) => `Les envois sont aussi signés avec le secret précédent, jusqu’au ${until}.`,
  pause: "Suspendre",
  resume: "Reprendre",
  test: "Envoyer un test",
  removeTitle: "Supprimer le webhook",
  removeConfirm: "Plus aucun événement n’est envoyé à cette adresse. Ses envois sont aussi supprimés.",
  settings: "Adresse et événements"
}

export const deliveries: Translation["settings"]["deliveries"] = {
  title: "Envois",
  lead: "Chaque tentative d’envoi d’un événement, les plus récentes d’abord. Elles sont conservées 30 jours.",
  shown: { all: "Tous", failed: "Échoués", succeeded: "Réussis", pending: "En attente" },
  none: "Aucun envoi.",
  event: "Événement",
  attempt: "Tentative",
  statuses: { pending: "en attente", succeeded: "réussi", failed: "échoué" },
  latency: "Durée",
  milliseconds: (count) => `${count} ms`,
  aboutOf: (type, attempt) => `tentative ${attempt} de ${type}`,
  error: "Cause de l’échec",
  request: "Requête",
  response: "Réponse",
  noRequest: "Pas encore envoyé.",
  noResponse: "Il n’y a pas eu de réponse.",
  headers: "En-têtes",
  body: "Corps",
  erased: "Le contenu a été effacé.",
  resendOf: (type, attempt) => `Renvoyer : tentative ${attempt} de ${type}`,
  succeeded: (code) => `Le destinataire l’a accepté (${code}).`,
  failed: (reason) => `Échec : ${reason}`,
  waiting: "L’envoi a lieu dès que possible."
}

export const folders: Translation["folders"] = {
  connect: "Connecter un dossier",
  lead: "La commande sheaf sync tient un dossier de fichiers Markdown à jour avec vos notes.",
  nameHint: "Son chemin sur l’appareil"
}
