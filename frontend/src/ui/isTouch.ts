/** Whether fingers are all there is: nothing to point with, and most likely no keys. */
export const isTouch = (): boolean => matchMedia("(hover: none) and (pointer: coarse)").matches;
