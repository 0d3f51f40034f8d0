import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"

const { counted } = phrasesIn("fr")

export const factors: Translation["factors"] = {
  step: {
    lead: "Votre compte a un second facteur.",
    back: "Retour"
  },
  passkey: {
    refused: "Aucune clé d’accès n’a été utilisée.",
    known: "Cet appareil a déjà une clé d’accès d’un compte de ce serveur.",
    elsewhere: (host) => `Les clés d’accès de ce serveur ne valent que pour ${host}.`,
    noneHere: "Les clés d’accès exigent un nom d’hôte et HTTPS dans l’adresse de ce serveur (PUBLIC_URL).",
    noneInBrowser: "Les clés d’accès exigent un navigateur qui les connaît et une page en HTTPS."
  },

  lead: "Avec l’un d’eux, un mot de passe demande aussi un code ou une clé d’accès, qui suffit seule.",
  none: "Il n’y a aucun second facteur.",
  kind: "Type",
  kinds: { totp: "Application d’authentification", passkey: "Clé d’accès" },
  passkeyOf: (host) => `Clé d’accès pour ${host}`,
  added: "Ajout",
  addApp: "Ajouter une application d’authentification",
  addPasskey: "Ajouter une clé d’accès",
  rename: "Renommer…",
  renameOf: (name) => `Renommer ${name}`,
  remove: "Supprimer…",
  removeOf: (name) => `Supprimer ${name}`,
  removeConfirm:
    "Ce facteur ne vous connecte plus ; vos sessions restent. Les codes de secours finissent avec le dernier facteur.",
  removeProblems: {
    invalid_state:
      "C’est votre dernier moyen de vous connecter. Ajoutez un autre facteur, ou définissez un mot de passe avec « Mot de passe oublié ? »."
  },

  app: {
    scan: "Scannez ce code avec l’application d’authentification, ou saisissez-y le secret.",
    picture: "Code QR avec le secret",
    open: "Ouvrir l’application sur cet appareil",
    secret: "Clé secrète",
    code: "Code affiché par l’application",
    add: "Ajouter l’application",
    problems: { invalid_state: "Le code est arrivé trop tard. Fermez cette fenêtre et recommencez." }
  },

  codes: {
    left: (count) => `Il reste ${counted(count, "code de secours", "codes de secours")}.`,
    make: "Créer de nouveaux codes de secours…",
    makeTitle: "Créer de nouveaux codes de secours",
    makeConfirm: "Les codes que vous avez prennent fin.",
    title: "Vos codes de secours",
    lead: "Chacun sert une fois, à la place d’un facteur perdu, et n’est affiché que maintenant. Gardez-les hors de cet appareil.",
    of: (email, host) => `Codes de secours de ${email} pour ${host}`,
    print: "Imprimer",
    unkept: "Vous n’avez ni copié, ni téléchargé, ni imprimé les codes. Ils ne seront plus affichés. Fermer ?"
  },

  needed: {
    title: "Deux facteurs sont nécessaires",
    leads: {
      workspace: "Cet espace de travail exige une connexion avec deux facteurs.",
      server: "Les pages du serveur exigent une connexion avec deux facteurs."
    },
    confirm: "Confirmez avec un facteur que vous avez.",
    add: "Ajoutez ici un second facteur. Le texte qui n’est pas enregistré reste sur cet appareil."
  }
}
