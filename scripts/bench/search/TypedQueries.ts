/** A typed query, and the title of the intended note or a pattern of it; a tag if titles repeat. */
export type Typed = readonly [query: string, title: string | RegExp, tag?: string]

/** Whether one of the notes is the intended one. */
export const isMeant = (
  [, title, tag]: Typed,
  notes: ReadonlyArray<{ readonly title: string; readonly tags: ReadonlyArray<string> }>
): boolean =>
  notes.some(
    (note) =>
      (typeof title === "string" ? note.title === title : title.test(note.title)) &&
      (tag === undefined || note.tags.includes(tag))
  )

const english: ReadonlyArray<Typed> = [
  // Sentences.
  ["how do I create a new git branch", /^git branch$|^git checkout$|^git switch$|^git create-branch$/],
  ["what is the lifetime of an object in modern c++", "Object lifetime and resource management (RAII)"],
  ["convert a string to a long integer", /^atol|^strtol|^_strtoui64|^strtoul|^_wtoi64|^stoi|^atoi|^_atoi64/],
  ["determine whether a file is read only", /^_access/],
  ["how can I include resources at compile time", "How to: Include Resources at Compile Time (C++)"],
  ["check the integrity of a filesystem", "fsck"],
  ["specify an out parameter", "How to: Specify an out parameter"],
  ["compute the quotient and the remainder of two integers", "div, ldiv, lldiv"],
  ["create and manage virtual machines running podman", "podman machine"],
  ["print files to the default printer", /^lpr$|^lp$/],
  ["mount host directories as virtual DOS drives", "MOUNT"],
  ["which process starts docker containers persistently", "dockerd"],
  ["reset the decisions of the privacy database", "tccutil"],
  ["importing and exporting of an inline function", "Importing and exporting inline functions"],
  ["move constructors and move assignment operators", /Move Constructors/i],
  // Inflection.
  ["implementing tracking in code", "How to: Implement Tracking in Your Code"],
  ["using stock properties page", "MFC ActiveX Controls: Using Stock Property Pages"],
  ["file permissions constant", "File Permission Constants"],
  ["structures and unions members", "Structure and Union Members"],
  ["managing docker container", /docker|podman|container/i],
  ["required headers files", "Required and Optional Header Files"],
  ["creating ole db consumers", /OLE DB Consumer/],
  // Code.
  ["C2065", "Compiler Error C2065"],
  ["c 2181", "Compiler Error C2181"],
  ["error c3115 attribute not allowed", "Compiler Error C3115"],
  ["com::ptr", /^com::ptr|_com_ptr_t/],
  ["std::is_convertible", "is_convertible Class"],
  ["swprintf_s", /swprintf_s/],
  ["_com_ptr_t operator =", "_com_ptr_t::operator ="],
  ["IObjectWithSite", /IObjectWithSite/],
  ["gopher file class", "CGopherFile Class"],
  ["cache freelist", /cache_freelist/],
  ["fgetws", "fgets, fgetws"],
  ["ANALYSIS CALLBACKS structure", "ANALYSIS_CALLBACKS structure"],
  ["U1033 nmake", "NMAKE Fatal Error U1033"],
  // Options.
  ["/FU", /^\/FU/],
  ["/Og global optimisation", /^\/Og/],
  ["git commit --amend", /^git commit|^git amend|^git-commit|amend/],
  ["tar -xzf", /tar|gzip|bsdtar/],
  ["git stripspace", "git stripspace"],
  ["poetry init", "poetry init"],
  // Signs, dates and addresses.
  ["ubuntu.com/server/docs", /ubuntu|kvm|virt|lxc|netplan|pro/],
  ["libreoffice.org extensions", "unopkg"],
  ["pyproject.toml", /poetry|hatch|pdm|uv|rye|pip|black|towncrier|tox|hatchling|cookiecutter|flit/],
  // Typing errors.
  ["podmna machine", "podman machine"],
  ["optimiztaion of registers", /Optimi|register/i],
  ["Compiler Eror C2407", "Compiler Error C2407"],
  ["inotifywiat", /inotifywait|inotifywatch|fatrace|inotify/],
  // While typing.
  ["object lifetime and res", "Object lifetime and resource management (RAII)"],
  ["podman mach", "podman machine"]
]

const multilingual: ReadonlyArray<Typed> = [
  ["ファイルの検索", /find|grep|locate|fd|ag|rg|where|es|mdfind|fzf/, "ja"],
  ["DNS 情報を調べる", "dig", "ja"],
  [
    "パッケージマネージャ",
    /brew|npm|pacman|apt|yum|dnf|snap|choco|cargo|pnpm|yarn|nix|zypper|port|flatpak|scoop|winget|bun|gem|pip|apk|xbps|pkg|opam|conda/,
    "ja"
  ],
  ["基准测试工具", "ab", "zh"],
  ["跨平台 代码编辑器", "code", "zh"],
  ["java 编译器", "javac", "zh"],
  ["Suchtool", "ugrep", "de"],
  ["warum ist ein Paket installiert", "npm-why", "de"],
  ["angeschlossene Drucker auflisten lpinfo", "lpinfo", "de"],
  ["Kundentreiber Druckertreiber", "lpinfo", "de"],
  ["utilisation du disque", "du", "fr"],
  ["tests de charges HTTP", "vegeta", "fr"],
  ["fichier ignorés git", "git check-ignore", "fr"]
]

/** Queries by collection. */
export type TypedSet = Readonly<Record<"notes14k" | "notes-multilang", ReadonlyArray<Typed>>>

export const firstSet: TypedSet = { notes14k: english, "notes-multilang": multilingual }

/** Written from titles and texts only: search results changed neither a query nor its title. */
export const secondSet: TypedSet = {
  notes14k: [
    // Sentences.
    ["how do I remove untracked files from a git repository", "git clean"],
    ["how to recover deleted files from an ext4 partition", /^(extundelete|photorec)$/],
    ["keep folders in sync between my computers", /^(syncthing|unison)$/],
    ["how can I take a screenshot and edit it", /^(flameshot|.*scrot|.*screenshot|grim)$/],
    ["why can't a template be declared with C linkage", "Compiler Error C2894"],
    ["change the default boot entry", /^(grub-set-default|grub-reboot|efibootmgr)$/],
    ["set the time zone of the system", "timedatectl"],
    ["turn off optimization for one function", "optimize pragma"],
    ["share my e-books over the network", "calibre-server"],
    // A misspelt word.
    ["shaded releif", "pamshadedrelief"],
    ["bitwarden vualt", "bw"],
    ["migration sqlalchmey", "alembic"],
    ["reset elasticsearch passwrod", "elasticsearch-reset-password"],
    ["angry ip scaner", "ipscan"],
    ["compare slackwrae packages", "pkgdiff"],
    ["handling events from an activex cotnrol container", /Handling Events from an ActiveX Control$/],
    ["configure projects to target 64-bit platfroms", /Target 64-Bit, x64 Platforms$/],
    ["walkthrough creating an image procesing network", "Walkthrough: Creating an Image-Processing Network"],
    // Options.
    ["ps aux", "ps"],
    ["du -sh", "du"],
    ["git log --oneline", "git log"],
    ["docker run -it", /^docker (container )?run$/],
    ["tar -xzf archive", "tar"],
    ["grep -rin todo", /grep$/],
    ["kill -9", "kill"],
    // Quoted words in a sentence.
    ['how do I use "parallel containers" to gain efficiency', /Use Parallel Containers to Increase Efficiency$/],
    ['which warning says "too many rules for target"', "NMAKE Warning U4004"],
    ["what to do about „entry point must be defined“", "Linker Tools Error LNK1561"],
    ["switch «dark mode» on and off", "dark-mode"],
    // Joined, split and hyphenated.
    ["wifi devices", /^(iw|iw dev|iw phy|nmcli|nmcli device|nmcli radio|rfkill)$/],
    ["az log out", "az logout"],
    ["readonly provider", /Read-Only Provider$/],
    ["multi-threaded libraries performance", "Multithreaded Libraries Performance"],
    ["pre-compiled header files", "Precompiled Header Files"],
    ["get user spns", "GetUserSPNs.py"],
    ["data base maintenance window", "doctl databases maintenance-window"],
    ["filesystem navigation", "File System Navigation"],
    ["interlocked or intrinsic", "_InterlockedOr intrinsic functions"],
    // Signs.
    ["C# wrap native class", "How to: Wrap Native Class for Use by C#"],
    ["/std:c++20", "/std (Specify Language Standard Version)"],
    ["c++ 17 noexcept rules", "/Zc:noexceptTypes (C++17 noexcept rules)"],
    ["operator<<", /<</],
    ["<map>", "<map>"],
    ["@WordSize", "@WordSize"],
    ["clang++", "clang++"],
    // Half-typed last words.
    ["interior pointers with the const key", "How to: Declare Interior Pointers with the const Keyword (C++/CLI)"],
    ["header control and list cont", "Header Control and List Control"],
    ["calibre-ser", "calibre-server"]
  ],
  "notes-multilang": [
    // Options.
    ["rsync -avz", "rsync", "fr"],
    ["ls -la", "ls"],
    // German.
    ["Bildschirmfoto mit dem Handy aufnehmen", "screencap", "de"],
    ["Ueberwachungsmodus aktivieren", "airmon-ng", "de"],
    ["haeufig verwendete Verzeichnisse", "zoxide", "de"],
    ["PDF zusammenfuegen", "pdfunite", "de"],
    // French.
    ["comment fusionner deux branches", "git merge", "fr"],
    ["capture d'ecran", "screencap", "fr"],
    // Japanese.
    ["ファイルの所有者を変更", "chown", "ja"],
    ["スクリーンショットを撮る", "screencap", "ja"],
    // Chinese.
    ["查找重复文件", /dupes/, "zh"],
    ["记忆卡片软件", "anki", "zh"]
  ]
}
