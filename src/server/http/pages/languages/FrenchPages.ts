import { fields, problems } from "../../../../../services/languages/FrenchProblems.ts"
import type { PageTexts } from "./EnglishPages.ts"
import { sentencesOf } from "./ProblemSentences.ts"

const sentences = sentencesOf("fr", { fields, problems }, (problem, time) => `${problem} Réessayez dans ${time}.`)

const may = {
  viewer: "lit les notes",
  editor: "lit et écrit les notes",
  admin: "lit et écrit les notes, et gère les membres",
  owner: "peut tout y faire"
}
const roles = { viewer: "lecteur", editor: "éditeur", admin: "administrateur", owner: "propriétaire" }

export const french: PageTexts = {
  lang: "fr",
  ...sentences,
  busy: "Le serveur est occupé. Réessayez dans quelques secondes.",
  wrongTitle: (title) => `Erreur : ${title}`,
  copy: "Copier",
  copied: "Copié",
  needsScript: "Sheaf a besoin de JavaScript.",

  labels: {
    code: "Code, ou code de secours",
    email: "Adresse e-mail",
    name: "Nom",
    password: "Mot de passe",
    new_password: "Nouveau mot de passe"
  },
  nameHint: "Tel que les autres le voient. Vous pouvez le laisser vide.",
  passwordHint: "Au moins 10 caractères.",
  openSheaf: "Ouvrir Sheaf",
  signedIn: "Vous êtes connecté.",
  signedInAs: (email) => `Vous êtes connecté en tant que ${email}.`,

  unavailable: ["Le serveur est occupé", "Réessayez dans quelques secondes."],
  throttled: ["Trop de tentatives", "Attendez quelques minutes, puis réessayez."],

  invitation: {
    title: (workspace) => `Rejoindre ${workspace}`,
    lead: (inviter, email, workspace, role) =>
      `${inviter} invite ${email} dans l’espace de travail ${workspace}, avec le rôle ${roles[role]} (${may[role]}).`,
    may,
    until: (time) => `L’invitation est ouverte jusqu’au ${time}.`,
    isNew: "Je suis nouveau ici",
    newLead: "Créez un compte et rejoignez l’espace.",
    create: "Créer un compte et rejoindre",
    hasAccount: "J’ai un compte",
    accountLead: "Saisissez son mot de passe et rejoignez l’espace.",
    forgot: "Mot de passe oublié ?",
    join: "Rejoindre",
    footer: (request) =>
      `Si vous êtes connecté dans une application, elle peut accepter l’invitation avec ${request} et le jeton de ce lien.`,
    wrongPassword: "Le mot de passe est incorrect, ou cette adresse n’a pas encore de compte.",
    isKnown: "Cette adresse a déjà un compte : saisissez son mot de passe sous « J’ai un compte ».",
    joined: (workspace) => `Vous avez rejoint ${workspace}`,
    member: (email, workspace) => `${email} est maintenant membre de l’espace de travail ${workspace}.`,
    signInToOpen: "Connectez-vous avec cette adresse pour ouvrir l’espace de travail.",
    ready: "Votre compte est prêt",
    failed: (email, workspace, isSignedIn, problem) =>
      `Vous ${isSignedIn ? "êtes connecté en tant que" : "pouvez vous connecter avec"} ${email}. Mais l’invitation à ${workspace} n’a pas pu être acceptée : ${problem}`,
    askAgain: "Demandez une autre invitation.",
    unknown: [
      "Cette invitation n’est plus valable",
      "Vérifiez que le lien est complet. Si l’invitation a été renvoyée, seul le lien de l’e-mail le plus récent fonctionne."
    ],
    expired: ["L’invitation a expiré", "Demandez à la personne qui vous a invité de la renvoyer."]
  },

  signIn: {
    by: (provider) => `Continuer avec ${provider}`,
    done: "Vous êtes connecté",
    confirmed: "Votre présence est confirmée",
    close: "Fermez cette page et continuez dans Sheaf.",
    failed: "La connexion a échoué",
    refused: (provider) => ({
      closed: [
        "Ce serveur n’a pas de compte pour vous",
        `Seules les personnes invitées peuvent s’inscrire. Ouvrez le lien de votre invitation et continuez avec ${provider}.`
      ],
      declined: [`${provider} ne vous a pas connecté`, "La connexion y a été annulée ou refusée. Recommencez."],
      ended: [
        "Cette connexion est terminée",
        "Elle fonctionne une fois, dans le navigateur où elle a commencé et pendant dix minutes. Recommencez."
      ],
      invalid: [
        "La connexion n’est pas valable",
        `La réponse de ${provider} n’a pas passé les contrôles. Recommencez. Si cela se reproduit, demandez à l’opérateur de ce serveur.`
      ],
      knownAddress: [
        "Il existe déjà un compte avec votre adresse",
        `Connectez-vous comme auparavant. Puis associez ${provider} dans les paramètres du compte.`
      ],
      linkedElsewhere: [
        "Cette connexion appartient à un autre compte",
        `L’utilisateur chez ${provider} est associé à un autre compte de ce serveur.`
      ],
      noAddress: [
        `${provider} n’a indiqué aucune adresse e-mail`,
        "Un compte en a besoin. Demandez à l’opérateur de ce serveur."
      ],
      notLinked: [
        `${provider} n’est pas associé à votre compte`,
        "Le lien a déjà servi, a expiré ou appartient à une autre connexion."
      ],
      otherAddress: [
        "L’invitation est pour une autre adresse",
        `${provider} a indiqué une autre adresse ou n’a pas vérifié la vôtre.`
      ],
      tooMany: ["Le compte a trop de connexions", "Dissociez d’abord l’une d’elles dans les paramètres du compte."],
      unknownProvider: ["Ce fournisseur n’existe pas", "Vérifiez l’adresse."],
      unreachable: [
        `${provider} est injoignable`,
        "Réessayez dans une minute. Si cela persiste, demandez à l’opérateur de ce serveur."
      ]
    })
  },

  mailed: {
    reset: {
      title: "Réinitialiser votre mot de passe",
      intro: "Saisissez l’adresse e-mail de votre compte. Vous recevrez un lien pour choisir un nouveau mot de passe.",
      life: "Un lien fonctionne une fois, pendant une heure.",
      sent: (email) =>
        `Vous avez saisi ${email}. Si cette adresse a un compte, un e-mail avec un lien est en route. Un lien fonctionne une fois, pendant une heure.`
    },
    confirmation: {
      title: "Confirmer votre adresse",
      intro: "Saisissez l’adresse e-mail de votre compte. Vous recevrez un lien qui la confirme.",
      life: "Un lien fonctionne pendant sept jours.",
      sent: (email) =>
        `Vous avez saisi ${email}. Si cette adresse a un compte et n’est pas encore confirmée, un e-mail avec un lien est en route. Un lien fonctionne pendant sept jours.`
    },
    send: "Envoyer le lien",
    check: "Consultez vos e-mails",
    noMail: "Si aucun e-mail n’arrive, vérifiez l’adresse et votre dossier de courrier indésirable.",
    expired: "Ce lien a expiré",
    broken: "Ce lien ne fonctionne pas",
    why: "Il a déjà été utilisé, a expiré, ou est incomplet."
  },

  password: {
    title: "Choisir un nouveau mot de passe",
    lead: "Tous les appareils seront déconnectés, et auront besoin du nouveau mot de passe.",
    change: "Changer le mot de passe",
    changed: "Votre mot de passe a été changé",
    signedOut: (email) => `Vous êtes connecté en tant que ${email}. Tous les autres appareils ont été déconnectés.`,
    signIn: (email) =>
      `Connectez-vous avec ${email} et le nouveau mot de passe. Tous les appareils ont été déconnectés.`
  },

  confirm: {
    title: "Confirmer votre adresse",
    question: (url, email) => `Un compte sur ${url} utilise l’adresse ${email}. Ce compte est-il le vôtre ?`,
    ifNot: "Si vous ne le connaissez pas, fermez cette page : l’adresse reste non confirmée.",
    button: "Confirmer l’adresse",
    confirmed: "Votre adresse est confirmée",
    done: (email) => `${email} est confirmée. Vous pouvez fermer cette page.`
  },

  setup: {
    title: "Créer le premier compte",
    lead: "Il possède le premier espace de travail et administre le serveur. Vous pourrez ensuite apporter vos notes.",
    create: "Créer le compte",
    ready: "Votre compte est prêt",
    signIn: (email) =>
      `Connectez-vous avec ${email} et votre mot de passe pour importer des notes et connecter des applications.`,
    continue: "Continuer",
    showKey: "Afficher une clé pour les scripts",
    key: "Clé d’API",
    keyHint: (docs) =>
      `Elle peut tout faire dans votre espace de travail, et n’est plus affichée ensuite. ${docs}La documentation</a> (en anglais) décrit l’API.`,
    expired: ["Ce lien a expiré", "Un lien fonctionne pendant une heure. Redémarrez Sheaf : il en affiche un autre."],
    broken: [
      "Ce lien ne fonctionne pas",
      "Il a déjà été utilisé, est incomplet, ou un compte a déjà un mot de passe. Si vous l’avez utilisé, connectez-vous dans votre application.",
      "Sheaf affiche un autre lien à chaque démarrage tant qu’aucun compte n’a de mot de passe."
    ]
  },

  share: {
    updated: (date) => `Modifiée le ${date}`,
    empty: "Cette note est vide.",
    footer: "Une note partagée avec Sheaf",
    protectedTitle: "Une note protégée",
    protected: "Cette note est protégée",
    askPassword: "Demandez le mot de passe à la personne qui l’a partagée avec vous.",
    open: "Ouvrir",
    wrongPassword: "Le mot de passe est incorrect.",
    notFound: ["Introuvable", "Vérifiez que le lien est complet. La note n’est peut-être plus partagée."],
    expired: ["Ce lien a expiré", "Demandez-en un autre à la personne qui vous l’a envoyé."]
  },

  problemPage: {
    notFound: ["Page introuvable", "Vérifiez l’adresse."],
    heading: (_title) => "Cela n’a pas fonctionné",
    ofApi:
      "Cette adresse appartient à l’API, qui est destinée aux programmes. Chaque requête demande un jeton d’accès ou une clé d’API.",
    ways: (start, docs) =>
      `Continuer vers ${start}la page d’accueil</a> ou ${docs}la référence de l’API (en anglais)</a>.`,
    status: (status) => `statut ${status}`,
    cause: "Cause (en anglais)",
    remedy: "Remède (en anglais)",
    all: (docs) => `${docs}Tous les problèmes, et les opérations qui les renvoient (en anglais)</a>`,
    footer: (code, request) => `Problème ${code}, requête ${request}`
  }
}
