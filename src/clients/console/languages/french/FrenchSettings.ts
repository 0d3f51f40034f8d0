import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { audit, transfers, usage } from "./FrenchData.ts"
import { apps, deliveries, keys, reach, webhooks } from "./FrenchIntegrations.ts"

const { counted, list } = phrasesIn("fr")

export const settings: Translation["settings"] = {
  apps,
  keys,
  reach,
  webhooks,
  deliveries,
  transfers,
  usage,
  audit,
  navigation: "Paramètres",
  sections: { own: "Vous", workspace: "Espace de travail" },
  pages: {
    account: "Compte",
    sessions: "Sessions et appareils",
    apps: "Applications connectées",
    workspace: "Espace de travail",
    people: "Personnes",
    keys: "Clés d’API",
    folder: "Dossier",
    webhooks: "Webhooks",
    transfers: "Importations et exportations",
    usage: "Utilisation",
    audit: "Journal d’audit"
  },
  notAllowed: "Votre rôle dans cet espace de travail ne permet pas d’ouvrir cette page.",
  currentPassword: "Mot de passe actuel",
  unknown: "inconnu",
  ends: "Fin",
  remove: "Retirer…",

  account: {
    profile: "Profil",
    language: "Langue",
    languageHint: "Celle de la console et de vos e-mails. La page est rechargée.",
    timezone: "Fuseau horaire",
    timezoneHint: "Les heures de vos e-mails et de vos modèles l’utilisent.",
    securityMails: "M’écrire sur les connexions, mots de passe, nouvelles clés d’API et webhooks",
    save: "Enregistrer le profil",
    emailHint: "Un lien de confirmation est envoyé à la nouvelle adresse, et un avis à l’ancienne.",
    newEmail: "Nouvelle adresse",
    changeEmail: "Changer l’adresse",
    emailChanged: "L’adresse est changée. Confirmez-la avec le lien de l’e-mail.",
    passwordHint: "Toutes les autres sessions prennent fin.",
    newPassword: "Nouveau mot de passe",
    changePassword: "Changer le mot de passe",
    passwordChanged: "Le mot de passe est changé.",
    identities: "Connexion par un fournisseur",
    identitiesLead: "Un fournisseur associé vous connecte sans le mot de passe.",
    connect: (name) => `Associer ${name}`,
    disconnect: "Dissocier…",
    disconnectOf: (name) => `Dissocier ${name}`,
    disconnectConfirm: "Il ne vous connecte plus. Vos sessions restent.",
    disconnectButton: "Dissocier",
    noIdentity: "Aucun fournisseur n’est associé.",
    provider: "Fournisseur",
    lastUsed: "Dernière connexion",
    disconnectProblems: {
      invalid_state:
        "C’est votre dernier moyen de vous connecter. Définissez d’abord un mot de passe avec « Mot de passe oublié ? », ou associez un autre fournisseur."
    },
    end: "Supprimer le compte",
    endHint:
      "Les espaces de travail sans autres membres sont supprimés, et vous quittez les autres. Exportez d’abord vos notes.",
    endAction: "Supprimer mon compte…",
    endConfirm:
      "Votre compte, ses sessions, ses clés d’API et les espaces de travail que vous seul utilisez sont supprimés.",
    endButton: "Supprimer mon compte",
    lastOwner: (names) =>
      `Vous êtes le dernier propriétaire de ${list(names)}. Nommez un autre membre propriétaire, ou supprimez l’espace de travail.`
  },

  sessions: {
    lead: "Les endroits où vous êtes connecté.",
    device: "Appareil",
    unnamed: "Appareil sans nom",
    current: "celui-ci",
    since: "Connexion",
    by: "Connexion par",
    ways: { password: "mot de passe", passkey: "clé d’accès", provider: "fournisseur" },
    factors: { totp: "application d’authentification", passkey: "clé d’accès", recovery_code: "code de secours" },
    none: "Aucune session.",
    end: "Terminer…",
    endOf: (name) => `Terminer la session sur ${name}`,
    endConfirm: (name) => `${name} est déconnecté immédiatement. Le texte qu’il n’a pas enregistré y reste.`,
    endButton: "Terminer la session",
    endOthers: "Terminer toutes les autres sessions…",
    endOthersTitle: "Terminer toutes les autres sessions",
    endOthersConfirm: "Tous les appareils sauf celui-ci sont déconnectés immédiatement.",
    devices: "Appareils qui synchronisent",
    devicesLead: "Vos applications qui gardent une copie de vos notes.",
    synced: "Dernière synchronisation",
    noDevices: "Aucune application ne garde de copie de vos notes.",
    removeOf: (name) => `Retirer ${name}`,
    removeConfirm: (name) => `${name} ne reçoit plus de modifications, et sa session prend fin.`
  },

  workspace: {
    settings: "Nom et offre",
    slug: "Nom court dans les adresses",
    slugHint: "Minuscules, chiffres et traits d’union",
    save: "Enregistrer l’espace de travail",
    readOnly: (plan, seats) => `${plan}, ${counted(seats, "place", "places")}`,
    problems: {
      already_exists: "Un autre espace de travail a ce nom court.",
      insufficient_role: "Votre rôle ne le permet pas, ou l’opérateur du serveur fixe l’offre et les places."
    },
    factors: {
      title: "Seconds facteurs des membres",
      lead: "À partir d’une date, les notes de cet espace demandent deux facteurs à la connexion : mot de passe et application d’authentification, clé d’accès ou fournisseur. Les clés d’API n’en ont pas besoin.",
      isOn: "Les membres ont besoin d’un second facteur",
      from: "À partir du",
      save: "Enregistrer la règle"
    },
    offline: {
      title: "Sur cet appareil",
      hint: "Les notes sur cet appareil se lisent et se cherchent sans réseau. Votre texte est envoyé plus tard. La déconnexion les retire.",
      nothing: "Aucune note",
      all: "Les notes de tous les carnets",
      chosen: "Les notes des carnets choisis",
      notebooks: "Carnets sur cet appareil",
      inner: "Les carnets qu’ils contiennent en font partie.",
      state: (notes, isWhole) =>
        `${counted(notes, "note est", "notes sont")} sur cet appareil${isWhole ? "." : ", d’autres arrivent."}`,
      unstored: "Ce navigateur n’a pas de place pour les notes, ou n’autorise pas leur enregistrement."
    },
    all: "Vos espaces de travail",
    isOpen: "ouvert",
    none: "Vous n’avez pas d’espace de travail.",
    createTitle: "Nouvel espace de travail",
    create: "Créer l’espace de travail",
    created: (name) => `« ${name} » est créé.`,
    leave: "Quitter l’espace de travail",
    leaveHint: "Vos clés d’API et vos liens y prennent fin. Seule une invitation permet de revenir.",
    leaveAction: "Quitter…",
    leaveConfirm: (name) => `Vous perdez immédiatement l’accès à « ${name} ».`,
    deleteHint: "Tous les membres perdent immédiatement l’accès. L’opérateur peut le restaurer pendant 30 jours.",
    deleteConfirm: (slug) =>
      `Toutes les notes, les membres, les clés d’API et les webhooks sont supprimés. Saisissez ${slug} pour confirmer.`,
    deleteField: "Nom court de l’espace de travail",
    deleteMismatch: "Ce n’est pas le nom court.",
    personal: "C’est votre espace de travail personnel. Il prend fin avec votre compte."
  },

  people: {
    person: "Personne",
    role: "Rôle",
    roleOf: (name) => `Rôle de ${name}`,
    roles: { owner: "Propriétaire", admin: "Administrateur", editor: "Éditeur", viewer: "Lecteur" },
    rolesHint: [
      ["Lecteur", "lit les notes"],
      ["Éditeur", "écrit des notes et crée des clés d’API"],
      ["Administrateur", "gère aussi les personnes, les webhooks et le journal d’audit"],
      ["Propriétaire", "change aussi l’offre et supprime l’espace de travail"]
    ],
    you: "vous",
    since: "Membre depuis",
    noMembers: "Aucun membre.",
    roleChanged: (name, role) => `${name} a maintenant le rôle ${role}.`,
    removeOf: (name) => `Retirer ${name}`,
    removeConfirm: (name) =>
      `${name} perd immédiatement l’accès. Ses clés d’API et ses liens dans cet espace de travail prennent fin, et ses webhooks sont suspendus. Ses notes restent.`,
    removeButton: "Retirer",
    problems: { last_owner: "Un espace de travail a besoin d’un propriétaire." },
    invite: "Inviter une personne",
    send: "Envoyer l’invitation",
    sent: (email) => `L’invitation à ${email} est envoyée.`,
    linkHint: "Ce serveur n’envoie pas d’e-mails. Transmettez le lien : il n’est affiché que maintenant.",
    inviteProblems: { already_exists: "Cette personne est déjà membre ou invitée." },
    invitations: "Invitations",
    statuses: { pending: "en attente", accepted: "acceptée", expired: "expirée" },
    by: "Invitation de",
    noInvitations: "Aucune invitation.",
    revoke: "Annuler l’invitation…",
    revokeOf: (email) => `Annuler l’invitation à ${email}`,
    revokeConfirm: "Le lien ne fonctionne plus.",
    revokeButton: "Annuler l’invitation"
  }
}
