import { phrasesIn } from "../../../../../services/languages/Phrases.ts"
import type { Translation } from "../Translation.ts"
import { overview } from "./FrenchOverview.ts"

const { counted } = phrasesIn("fr")

export const server: Translation["server"] = {
  navigation: "Serveur",
  notAllowed: "Seuls les opérateurs du serveur peuvent utiliser cette page.",
  pages: {
    overview: "Vue d’ensemble",
    users: "Utilisateurs",
    workspaces: "Espaces de travail",
    jobs: "Tâches",
    backups: "Sauvegardes",
    mails: "E-mails",
    checks: "Vérifications",
    system: "Système"
  },
  no: "non",
  search: "Rechercher",
  version: "Version",
  yes: "oui",

  overview,

  users: {
    list: "Tous les utilisateurs",
    words: "Adresse ou nom",
    suspendedOnly: "Utilisateurs suspendus",
    operatorsOnly: "Opérateurs",
    none: "Aucun utilisateur ne correspond.",
    usual: "actif",
    suspended: "suspendu",
    operator: "opérateur",
    active: "Dernière activité",
    confirmed: "Adresse confirmée",
    personal: "l’espace personnel",
    create: "Nouvel utilisateur",
    createLead: "L’adresse compte comme confirmée. L’utilisateur a un espace de travail personnel.",
    nameOptional: "Nom (facultatif)",
    passwordHint: "Au moins 10 caractères. L’utilisateur peut le changer.",
    submit: "Créer l’utilisateur",
    names: "Adresse et nom",
    namesLead: "Une autre adresse est considérée comme confirmée.",
    problems: {
      already_exists: "Un autre utilisateur a cette adresse.",
      not_found: "Cet utilisateur n’existe pas."
    },
    suspend: "Suspendre…",
    resume: "Lever la suspension",
    makeOperator: "Nommer opérateur…",
    endOperator: "Retirer le droit d’opérateur",
    makeLink: "Lien pour un nouveau mot de passe",
    linkHint: (until) =>
      `Il n’est affiché que maintenant, et est aussi envoyé par e-mail à l’utilisateur. Il fonctionne une fois, jusqu’au ${until}.`,
    endSessions: "Terminer toutes les sessions…",
    resetFactors: "Supprimer les seconds facteurs…",
    factorsReset: (count) => `${counted(count, "facteur supprimé", "facteurs supprimés")}.`,
    deleted: (email) => `${email} est supprimé.`,
    titles: {
      suspend: "Suspendre l’utilisateur",
      makeOperator: "Nommer opérateur",
      endSessions: "Terminer toutes les sessions",
      resetFactors: "Supprimer les seconds facteurs",
      delete: "Supprimer l’utilisateur"
    },
    leads: {
      suspend: (email) =>
        `Toutes les sessions de ${email} prennent fin immédiatement, et les connexions et clés d’API sont refusées. Rien n’est supprimé.`,
      makeOperator: (email) => `${email} peut alors tout faire sur les pages du serveur, comme vous.`,
      endSessions: (email) => `${email} est déconnecté sur tous les appareils. Les clés d’API restent.`,
      resetFactors: (email) =>
        `${email} se connecte sans second facteur jusqu’à l’ajout d’un nouveau, et reçoit un e-mail. Ne le faites que si la demande vient de cette personne.`,
      delete: (email) =>
        `Le compte de ${email} est supprimé, et ne peut pas être restauré. Les espaces de travail sans autres membres sont supprimés avec lui, et restaurables pendant 30 jours.`
    }
  },

  workspaces: {
    list: "Tous les espaces de travail",
    lead: "Ce qu’ils stockent, sans leur contenu.",
    words: "Nom ou nom court",
    presentOnly: "Ceux qui ne sont pas supprimés",
    deletedOnly: "Espaces de travail supprimés",
    none: "Aucun espace de travail ne correspond.",
    slug: "Nom court",
    textBytes: "Textes",
    present: "utilisé",
    personal: "personnel",
    deleted: "supprimé",
    erasing: "en cours d’effacement",
    deletedAt: "Suppression",
    problems: { not_found: "Cet espace de travail n’existe pas : il a peut-être été effacé." },
    planTitle: "Offre et places",
    search: "Index de recherche",
    searchLead: "Si les recherches ne trouvent pas tout. Jusqu’à la fin, elles ne trouvent qu’une partie des notes.",
    reindex: "Reconstruire l’index",
    reindexed: "La prochaine recherche reconstruit l’index.",
    end: "Supprimer et effacer",
    endLead: "Un espace de travail supprimé peut être restauré pendant 30 jours. Effacé, il ne peut plus l’être.",
    deleteConfirm: (name) =>
      `Tous les membres de « ${name} » perdent immédiatement l’accès. Il peut être restauré pendant 30 jours.`,
    erase: "Effacer…",
    eraseTitle: "Effacer l’espace de travail",
    eraseConfirm: (slug) =>
      `Tout son contenu est effacé en deux heures, et ne peut pas être restauré. Saisissez ${slug} pour confirmer.`,
    erasingLead: "Il est en cours d’effacement, et ne peut pas être restauré.",
    personalLead: "Espace de travail personnel d’un utilisateur, qui prend fin avec lui.",
    restore: "Restaurer l’espace de travail",
    restoreLead: "Ses membres retrouvent l’accès, avec toutes les notes.",
    restored: "L’espace de travail est restauré.",
    owner: "Adresse d’un propriétaire (facultatif)",
    ownerHint:
      "Un utilisateur de ce serveur, qui devient propriétaire : obligatoire s’il n’en reste aucun, sinon possible après un jour."
  },

  jobs: {
    title: "Exportations et importations",
    lead: "Celles de tous les espaces de travail, tant qu’elles sont conservées.",
    all: "Tous les états",
    none: "Il n’y a pas de telles exportations ni importations.",
    kind: "Type",
    kinds: { export: "Exportation", import: "Importation" },
    states: {
      awaiting_file: "attend son fichier",
      queued: "en attente",
      running: "en cours",
      retrying: "nouvelle tentative",
      failed: "échec",
      done: "terminé"
    },
    nameOf: (kind, workspace) => `${kind} de ${workspace}`,
    next: (when) => `nouvelle tentative ${when}`,
    retryOf: (name) => `Réessayer : ${name}`,
    cancel: "Arrêter…",
    cancelOf: (name) => `Arrêter : ${name}`,
    cancelConfirm: "La tâche se termine en échec. Les notes créées par une importation restent.",
    cancelButton: "Arrêter"
  },

  backups: {
    plan: "Plan",
    planLead: "Défini par BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP et BACKUP_RECIPIENT.",
    noPlan: "Il n’y a pas de sauvegardes. Définissez BACKUP_TO et BACKUP_EVERY, puis redémarrez le serveur.",
    to: "Emplacement",
    every: "Intervalle",
    noSchedule: "sans calendrier",
    keep: "Conservées",
    encrypted: "Chiffrées",
    last: "Dernier succès",
    next: "Prochaine",
    begin: "Sauvegarder maintenant",
    isRunning: "Une sauvegarde est en cours…",
    lead: "Celles qui sont conservées, et les derniers échecs.",
    none: "Il n’y a pas de sauvegardes.",
    kind: "Raison",
    kinds: { scheduled: "calendrier", manual: "manuelle" },
    running: "en cours",
    failed: "échec",
    failedTimes: (count) => counted(count, "échec", "échecs"),
    made: "faite",
    downloadOf: (when) => `Télécharger la sauvegarde du ${when}`
  },

  drills: {
    title: "Essais de restauration",
    lead: "Un essai restaure la dernière sauvegarde dans une base d’essai et les compare (BACKUP_VERIFY_EVERY).",
    last: "Dernier essai de restauration",
    backup: "De la sauvegarde",
    next: "Prochain essai",
    succeeded: "restaurée sans différence",
    begin: "Vérifier une restauration maintenant",
    isRunning: "Vérification en cours…"
  },

  mails: {
    title: "E-mails en attente ou échoués",
    lead: "En attente, ou non envoyés ces 7 derniers jours. Les textes ne sont pas affichés.",
    none: "Aucun e-mail n’attend, et aucun n’a échoué.",
    recipient: "Destinataire",
    attempts: "Tentatives",
    states: { waiting: "en attente", retrying: "nouvelle tentative", failed: "échec" },
    resent: (recipient) => `L’e-mail à ${recipient} est renvoyé.`,
    problems: { not_found: "L’e-mail a été envoyé entre-temps." },
    test: "E-mail de test",
    testLead: "Il est envoyé immédiatement, et montre la réponse du serveur de messagerie.",
    testTo: "À",
    sendTest: "Envoyer un e-mail de test",
    tested: (recipient) => `Le serveur de messagerie a accepté l’e-mail à ${recipient}.`,
    testFailed: (error) => `L’e-mail n’a pas été envoyé : ${error}.`,
    testKept: "Il n’y a pas de serveur de messagerie : l’e-mail est dans DATA_DIR/outbox. Définissez SMTP_URL."
  },

  checks: {
    begin: "Vérifier le serveur",
    lead: "Elles ne modifient rien. La version complète lit tous les fichiers, ce qui peut durer.",
    quick: "Vérification rapide",
    thorough: "Vérification complète",
    last: "Dernière vérification",
    none: "Le serveur n’a pas encore été vérifié.",
    earlier: "Vérifications précédentes",
    states: { running: "en cours", ended: "terminée", interrupted: "interrompue" },
    faulty: (count) =>
      count === 0 ? "aucun défaut" : `${counted(count, "vérification", "vérifications")} avec des défauts`,
    resultsOf: (when) => `Résultats du ${when}`,
    noResults: "Il n’y a pas encore de résultats.",
    check: "Vérification",
    found: "Constat",
    statuses: { ok: "en ordre", faulty: "défectueux", repaired: "réparé", skipped: "ignoré" },
    more: "Il y a d’autres défauts.",
    openWorkspace: "Ouvrir l’espace de travail"
  },

  system: {
    releaseNotes: "Changements par version",
    noNodes: "Aucun nœud ne s’est signalé dans la dernière minute.",
    host: "Machine",
    listens: "Écoute sur",
    workers: "Processus",
    memory: "Mémoire",
    started: "Démarrage",
    search: "Index de recherche",
    searchLead: "Ceux du nœud qui a répondu.",
    indexes: "En mémoire",
    settings: "Paramètres",
    settingsLead: "Variables d’environnement de ce nœud, sans les secrets. Un changement demande un redémarrage.",
    noSettings: "Ce serveur a été démarré sans variables d’environnement.",
    value: "Valeur",
    unset: "non définie",
    source: "Origine",
    sources: { environment: "environnement", default: "valeur par défaut" }
  },

  audit: {
    title: "Ce que les opérateurs ont fait",
    lead: "Dans la console, avec l’API et par des commandes. Les entrées ne changent jamais.",
    actor: "Opérateur",
    command: "ligne de commande",
    none: "Les opérateurs n’ont encore rien fait."
  }
}
