import Markdown, { type Components } from 'react-markdown'

/** Markdown laid out. HTML in it stays text, and links lead to the web or to mail only. */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div dir="auto" className="prose-text text-base">
      <Markdown components={components} rehypePlugins={[beyondCommonMark]} urlTransform={safeAddress}>
        {text}
      </Markdown>
    </div>
  )
}

const components: Components = {
  a: ({ href, children }) =>
    href ? (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    ),
  // A picture of another site would tell that site who reads this.
  img: ({ src, alt }) =>
    typeof src === 'string' && src !== '' ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
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
