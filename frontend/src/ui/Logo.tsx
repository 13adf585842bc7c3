/** A cut stone, seen from the side. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <path fill="#8a6410" d="M16 2 29 12 16 30 3 12z" />
      <path fill="#f3cf6b" d="M16 2 22 12H10z" />
      <path fill="#e0b040" d="M10 12h12l-6 18z" />
      <path fill="#c99420" d="M16 2 29 12h-7zM16 2 3 12h7z" opacity=".75" />
    </svg>
  );
}
