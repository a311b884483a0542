import type { ReactNode } from 'react'

/** What stands around the screens before a workspace: the mark, a title, and one narrow column. */
export function Entrance({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) {
  return (
    <main className="grid min-h-dvh content-start justify-center px-4 pt-[14vh] pb-16">
      <div className="w-[calc(100vw-32px)] max-w-85">
        <img src="/icon.svg" alt="" width="32" height="32" />
        <h1 className="mt-5 text-xl font-semibold tracking-tight">{title}</h1>
        {text && <p className="mt-1 text-sm text-quiet">{text}</p>}
        <div className="mt-6">{children}</div>
      </div>
    </main>
  )
}
