/** What a dialog for files offers as images: some systems do not count photographs of phones. */
export const PICTURES = "image/*,.heic,.heif,.hif,.avif";
