@echo off
rem Runs the k8sdns command. The options of the JVM are in lib\jvm.options; JAVA_OPTS adds to them, and wins. Not tried.
setlocal
set "lib=%~dp0..\lib"
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java"
"%java%" "@%lib%\jvm.options" %JAVA_OPTS% -jar "%lib%\k8sdns-cli.jar" %*
exit /b %ERRORLEVEL%
