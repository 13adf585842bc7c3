import "./ui/styles/tokens.css";
import "./ui/styles/base.css";
import { loadCatalogue } from "./strings";
import { language } from "./strings/language";

document.documentElement.lang = language;
void loadCatalogue().then(() => import("./app"));
