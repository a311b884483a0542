import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type DefaultTheme, defineConfig, type MarkdownOptions } from 'vitepress'
import { compressFiles } from '../../scripts/compress-files.ts'

const docs = join(import.meta.dirname, '..')

/** Long tables that would fill the search index. */
const UNSEARCHED = /^(internals\/(coverage|licences)|screens\/\w+)\.md$/

/** The scripts that pages had inside, by the names of the files that they become. */
const scripts = new Map<string, string>()

/** The pages of this folder as a site, which the service serves at `/guide/`. */
export default defineConfig({
  title: 'Kith',
  description: 'How to use, integrate and operate Kith.',
  base: '/guide/',
  outDir: 'dist',
  cacheDir: '../.cache/vitepress',
  srcExclude: ['dist/**', 'sync.md'],
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  metaChunk: true,
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  rewrites: (path: string) => path.replace(/README\.md$/, 'index.md'),
  markdown: {
    image: { lazyLoading: true },
    languageAlias: { caddyfile: 'nginx' },
    config: adaptToSite,
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: (text, env, markdown) => (UNSEARCHED.test(env.relativePath) ? '' : markdown.renderAsync(text, env)),
      },
    },
    nav: [
      { text: 'Use', link: '/use/', activeMatch: '^/use/' },
      { text: 'Integrate', link: '/integrate/', activeMatch: '^/integrate/' },
      { text: 'Operate', link: '/operate/', activeMatch: '^/operate/' },
      { text: 'Internals', link: '/internals/', activeMatch: '^/internals/' },
    ],
    sidebar: {
      '/use/': [group('use', 'Use')],
      '/integrate/': [group('integrate', 'Integrate')],
      '/operate/': [group('operate', 'Operate')],
      '/internals/': [
        group('internals', 'Internals'),
        { ...group('internals/decisions', 'Decisions'), collapsed: true },
        { ...group('internals/lab', 'Lab'), collapsed: true },
      ],
    },
    outline: [2, 3],
    notFound: {
      title: 'Page not found',
      quote: 'There is no such page. Search for it, or start again.',
      linkText: 'Start',
    },
  },
  transformHtml: (html) => html.replaceAll(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g, (_, text) => inFile(text)),
  async buildEnd({ outDir }) {
    for (const [name, text] of scripts) writeFileSync(join(outDir, 'assets', name), text)
    await compressFiles(outDir)
  },
})

/** The pages that the first page of a folder links to, in their order. */
function group(folder: string, text: string): DefaultTheme.SidebarItem {
  const start = readFileSync(join(docs, folder, 'README.md'), 'utf8')
  const names = [...start.matchAll(/\]\(([\w.-]+\.md)\)/g)].map(([, name = '']) => name)
  return {
    text,
    link: `/${folder}/`,
    items: [...new Set(names)].map((name) => ({
      text: titleOf(join(docs, folder, name)),
      link: `/${folder}/${name.replace(/\.md$/, '')}`,
    })),
  }
}

function titleOf(page: string): string {
  return /^# (.*)$/m.exec(readFileSync(page, 'utf8'))?.[1] ?? ''
}

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0]

/** Pages are written for the repository. Here, links to its other files are texts, and pictures follow the theme. */
function adaptToSite(markdown: Markdown): void {
  markdown.core.ruler.push('adapt-to-site', ({ tokens, env }) => {
    // The folder of the page, which the rewritten name has not changed.
    const folder = dirname(join(docs, env.relativePath))
    for (const { children } of tokens) {
      for (let at = 0; children && at < children.length; at++) {
        const token = children[at]
        if (token?.type === 'link_open') adaptLink(children, at, folder)
        const source = token?.type === 'image' ? String(token.attrGet('src')) : ''
        const dark = source.replace(/-light\.webp$/, '-dark.webp')
        if (!token || dark === source) continue
        const other = Object.assign(Object.create(Object.getPrototypeOf(token)), token, {
          attrs: token.attrs?.map(([name, value]) => [name, name === 'src' ? dark : value]),
        })
        token.attrSet('class', 'in-light')
        other.attrSet('class', 'in-dark')
        children.splice(++at, 0, other)
      }
    }
  })
}

type Tokens = NonNullable<ReturnType<Markdown['parse']>[number]['children']>

function adaptLink(tokens: Tokens, at: number, folder: string): void {
  const open = tokens[at]
  const [path = '', heading] = String(open?.attrGet('href')).split('#')
  if (!open || path === '' || /^\w+:/.test(path)) return
  const inside = relative(docs, join(folder, path))
  if (!inside.startsWith('..') && /\.md$/.test(path) && existsSync(join(docs, inside))) {
    const page = path.replace(/README\.md$/, 'index.md')
    open.attrSet('href', heading === undefined ? page : `${page}#${heading}`)
    return
  }
  const close = tokens.find((one, index) => index > at && one.type === 'link_close')
  for (const one of [open, close]) if (one) Object.assign(one, { type: 'text', tag: '', content: '', attrs: null })
}

/** The policy of the service allows no scripts inside pages. */
function inFile(text: string): string {
  const name = `start.${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`
  scripts.set(name, text)
  return `<script src="/guide/assets/${name}"></script>`
}
