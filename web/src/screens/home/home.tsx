import { Header } from '../../shell/header.tsx'

export function Home() {
  return <Header title="Home" />
}
