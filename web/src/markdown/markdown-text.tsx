import { parseId } from '@kith/contract/id'
import { type ReactNode, useMemo } from 'react'
import Markdown, { type Components } from 'react-markdown'
import { contentAddress } from '../api/files.ts'
import { useSlug } from '../api/workspace.ts'
import { fileIn } from './file-links.ts'

/** Someone whom a text mentions. `isReader` if that is who reads it. */
export type Mention = { id: string; name: string; isReader?: boolean }

/**
 * Markdown laid out. HTML in it stays text, and links lead to the web or to mail only. `mentions` are shown by their
 * names.
 */
export function MarkdownText({ text, mentions = none }: { text: string; mentions?: readonly Mention[] }) {
  const slug = useSlug()
  const components = useMemo(() => componentsIn(slug), [slug])
  return (
    <div dir="auto" className="prose-text text-base">
      <Markdown components={components} rehypePlugins={[[beyondCommonMark, mentions]]} urlTransform={safeAddress}>
        {text}
      </Markdown>
    </div>
  )
}

const none: readonly Mention[] = []

function componentsIn(slug: string): Components {
  const contentOf = (address: string) => {
    const id = fileIn(address, window.location.origin)
    return id === undefined ? undefined : contentAddress(slug, id)
  }
  return {
    a: ({ href, children }) => <TextLink href={href} content={contentOf(href ?? '')} label={children} />,
    // A picture of another site would tell that site who reads this.
    img: ({ src, alt }) => {
      const address = typeof src === 'string' ? src : ''
      const content = contentOf(address)
      if (content !== undefined) return <img src={content} alt={alt} loading="lazy" draggable={false} />
      return <TextLink href={address} content={undefined} label={address === '' ? alt : alt || address} />
    },
  }
}

/** A link to the web, or one that downloads a file. */
function TextLink(props: { href: string | undefined; content: string | undefined; label: ReactNode }) {
  const { href, content, label } = props
  if (content !== undefined) {
    return (
      <a href={content} download>
        {label}
      </a>
    )
  }
  if (!href) return <span>{label}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  )
}

function safeAddress(address: string): string {
  return /^(https?:\/\/|mailto:)/i.test(address) ? address : ''
}

type SyntaxNode = { type: string; value?: string; tagName?: string; properties?: object; children?: SyntaxNode[] }

/**
 * Lays out what the editor writes and CommonMark does not know: ~~what is struck~~, "- [x] what is done", and mentions.
 */
function beyondCommonMark(mentions: readonly Mention[]) {
  return (tree: SyntaxNode): void => walk(tree, mentions)
}

function walk(node: SyntaxNode, mentions: readonly Mention[]): void {
  // Code stays as it is written.
  if (node.tagName === 'code') return
  if (node.tagName === 'li') tick(node)
  node.children = node.children
    ?.flatMap((child) => inText(child, MENTION, (id) => mentionOf(id, mentions)))
    .flatMap((child) => inText(child, STRUCK, (value) => element('del', {}, value)))
  for (const child of node.children ?? []) walk(child, mentions)
}

const STRUCK = /~~(?=\S)(.+?)~~/
const MENTION = /@\[([^[\]\n]+)\]/

/** Lays out the parts of a text that match. */
function inText(node: SyntaxNode, pattern: RegExp, layOut: (value: string) => SyntaxNode): SyntaxNode[] {
  if (node.type !== 'text') return [node]
  return (node.value ?? '').split(pattern).flatMap((value, index) => {
    if (value === '') return []
    return [index % 2 === 0 ? { type: 'text', value } : layOut(value)]
  })
}

function element(tagName: string, properties: object, value: string): SyntaxNode {
  return { type: 'element', tagName, properties, children: [{ type: 'text', value }] }
}

function mentionOf(id: string, mentions: readonly Mention[]): SyntaxNode {
  const found = mentions.find((one) => one.id === parseId(id))
  if (!found) return { type: 'text', value: `@[${id}]` }
  return element('span', { className: found.isReader ? ['mention', 'reader'] : ['mention'] }, `@${found.name}`)
}

function tick(item: SyntaxNode): void {
  const paragraph = item.children?.find(({ tagName }) => tagName === 'p')
  const line = paragraph ?? item
  const first = line.children?.[0]
  const box = first?.type === 'text' ? /^\[([ xX])\]\s/.exec(first.value ?? '') : null
  if (!box || !first || !line.children) return
  first.value = first.value?.slice(box[0].length) ?? ''
  const done = box[1] !== ' '
  item.properties = { ...item.properties, className: ['task'] }
  const ariaLabel = done ? 'Done' : 'Not done'
  const properties = { type: 'checkbox', className: ['tick'], checked: done, disabled: true, ariaLabel }
  line.children.unshift({ type: 'element', tagName: 'input', properties, children: [] })
}
