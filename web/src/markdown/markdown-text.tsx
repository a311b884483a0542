import { type ReactNode, useMemo } from 'react'
import Markdown, { type Components } from 'react-markdown'
import { contentAddress } from '../api/files.ts'
import { useSlug } from '../api/workspace.ts'
import { fileIn } from './file-links.ts'

/** Markdown laid out. HTML in it stays text, and links lead to the web or to mail only. */
export function MarkdownText({ text }: { text: string }) {
  const slug = useSlug()
  const components = useMemo(() => componentsIn(slug), [slug])
  return (
    <div dir="auto" className="prose-text text-base">
      <Markdown components={components} rehypePlugins={[beyondCommonMark]} urlTransform={safeAddress}>
        {text}
      </Markdown>
    </div>
  )
}

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
 * Lays out two things that the editor writes and CommonMark does not know: ~~what is struck~~ and "- [x] what is
 * done".
 */
function beyondCommonMark() {
  return (tree: SyntaxNode): void => walk(tree)
}

function walk(node: SyntaxNode): void {
  // Code stays as it is written.
  if (node.tagName === 'code') return
  if (node.tagName === 'li') tick(node)
  node.children = node.children?.flatMap((child) => (child.type === 'text' ? struck(child) : [child]))
  for (const child of node.children ?? []) walk(child)
}

function struck(text: SyntaxNode): SyntaxNode[] {
  const parts = (text.value ?? '').split(/~~(?=\S)(.+?)~~/)
  return parts.flatMap((value, index) => {
    if (value === '') return []
    const part = { type: 'text', value }
    return [index % 2 === 0 ? part : { type: 'element', tagName: 'del', properties: {}, children: [part] }]
  })
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
