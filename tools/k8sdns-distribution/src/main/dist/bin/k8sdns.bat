@echo off
rem Runs the k8sdns command. The options of the JVM are in lib\jvm.options; JAVA_OPTS adds to them, and wins. An archive of loaded
rem classes (lib/make-archive) is not used. Not tried.
setlocal
set "lib=%~dp0..\lib"
set "java=java"
if not defined JAVA_HOME goto path
set "java=%JAVA_HOME%\bin\java"
if exist "%java%.exe" goto run
goto missing
:path
where java >nul 2>nul && goto run
:missing
echo k8sdns: %java% not found: install Java, 17 or later, and put it on the PATH or set JAVA_HOME>&2
exit /b 1
:run
"%java%" "@%lib%\jvm.options" %JAVA_OPTS% -jar "%lib%\k8sdns.jar" %*
exit /b %ERRORLEVEL%
