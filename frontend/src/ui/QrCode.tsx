import styles from "./QrCode.module.css";

/** A QR code from its rows of `0` and `1`; dark on white in every theme, as cameras want it. */
export function QrCode({ rows, name }: { rows: string[]; name: string }) {
  const size = rows.length;
  const path = rows
    .flatMap((row, y) => [...row].map((dark, x) => (dark === "1" ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg
      className={styles.code}
      // The quiet zone around it has four modules.
      viewBox={`-4 -4 ${size + 8} ${size + 8}`}
      role="img"
      aria-label={name}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
